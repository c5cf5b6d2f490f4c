#include "tandem/cluster/actor_roll.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/systems/common/thread_state.h"

namespace tandem {
namespace {

/// An actor that has been silent for longer counts as gone.
constexpr double kSilentSeconds = 5;

/// The longest wait for the actors' states. An actor sends its own with the report after the next
/// one, and an unroll may take seconds.
constexpr double kStateSeconds = 10;

}  // namespace

ActorRoll::ActorRoll(const Sender& self, int actors, int envs, OnPlayed on_played)
    : self_(self), actors_(actors), envs_(envs), on_played_(std::move(on_played)) {}

std::vector<std::byte> ActorRoll::hear(const Letter& letter) {
  if (letter.verb != Verb::garbled) return take_report(letter);
  const Lock lock(mutex_);
  receipts_.close(letter.from);
  return {};
}

std::vector<std::byte> ActorRoll::take_report(const Letter& letter) {
  const auto rank = static_cast<std::int64_t>(letter.from.part) - kFirstActorPart;
  if (rank < 0 || rank >= actors_) throw Error("a report came from no actor of this run");
  if (letter.from.epoch < self_.epoch) return MessageWriter(self_, Verb::past).seal();
  std::optional<ActorPlayed> played;
  std::int64_t rounds = 0;
  std::uint64_t number = 0;
  std::span<const std::byte> state;
  MessageWriter writer(self_, Verb::again);
  {
    const Lock lock(mutex_);
    const auto verdict = receipts_.take(letter);
    if (verdict == Verb::closed) return MessageWriter(self_, verdict).seal();
    auto& entry = entries_[static_cast<int>(rank)];
    entry.since_word.lap();
    if (verdict == Verb::done) {
      StateReader reader(letter.content);
      played = read_played(reader, static_cast<int>(rank));
      const auto version = reader.get<std::int64_t>();
      if (!can_be_counted(version))
        throw Error("an actor reported parameters that were never published");
      entry.version = version;
      rounds = reader.get<std::int64_t>();
      number = reader.get<std::uint64_t>();
      state = reader.get_bytes();
    }
    writer.content().put(wanted_);
  }
  if (!played) return std::move(writer).seal();
  try {
    on_played_(*std::move(played), rounds);
  } catch (...) {  // an error of the run, not of the actor
    const Lock lock(mutex_);
    if (!error_) error_ = std::current_exception();
  }
  // A checkpoint that has the state must have the steps before it.
  if (!state.empty()) keep(static_cast<int>(rank), number, state);
  return std::move(writer).seal();
}

void ActorRoll::keep(int rank, std::uint64_t number, std::span<const std::byte> state) {
  const Lock lock(mutex_);
  auto& entry = entries_[rank];
  if (number <= entry.state_number) return;
  entry.state_number = number;
  entry.state.assign(state.begin(), state.end());
}

ActorPlayed ActorRoll::read_played(StateReader& reader, int rank) const {
  auto played = ActorPlayed::load(reader);
  require_own_episodes(played.episodes, rank * envs_, envs_);
  if (!can_be_counted(played.steps)) throw Error("an actor reported steps that make no sense");
  return played;
}

bool ActorRoll::all_sent() const {
  return std::ranges::all_of(entries_, [&](const auto& one) TANDEM_REQUIRES(mutex_) {
    const Entry& entry = one.second;
    return entry.state_number >= wanted_ || entry.since_word.seconds() > kStateSeconds;
  });
}

void ActorRoll::want_states() {
  const Lock lock(mutex_);
  wanted_ += 1;
}

std::uint64_t ActorRoll::states_wanted() const {
  const Lock lock(mutex_);
  return wanted_;
}

void ActorRoll::gather_states(const std::stop_token& stop) {
  want_states();
  const Stopwatch watch;
  while (watch.seconds() < kStateSeconds && !stop.stop_requested()) {
    {
      const Lock lock(mutex_);
      if (all_sent()) return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

bool ActorRoll::await_state_of(int rank, std::chrono::seconds most) {
  const auto end = std::chrono::steady_clock::now() + most;
  while (std::chrono::steady_clock::now() < end) {
    {
      const Lock lock(mutex_);
      if (entries_[rank].state_number >= wanted_) return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

void ActorRoll::save(const Checkpoint* resume, Checkpoint& checkpoint) const {
  const Lock lock(mutex_);
  for (int rank = 0; rank < actors_; ++rank) {
    const auto name = state_name("actor", static_cast<std::size_t>(rank));
    const auto entry = entries_.find(rank);
    if (entry == entries_.end() || entry->second.state.empty()) {
      keep_state(resume, name, checkpoint);
    } else {
      checkpoint.add_blob(name, entry->second.state);
    }
  }
}

void ActorRoll::raise_error() {
  const Lock lock(mutex_);
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

int ActorRoll::alive() const {
  const Lock lock(mutex_);
  return static_cast<int>(std::ranges::count_if(
      entries_, [](const auto& one) { return one.second.since_word.seconds() <= kSilentSeconds; }));
}

std::int64_t ActorRoll::lag(std::int64_t newest) const {
  const Lock lock(mutex_);
  std::int64_t oldest = newest;
  for (const auto& [rank, entry] : entries_) {
    if (entry.since_word.seconds() <= kSilentSeconds) oldest = std::min(oldest, entry.version);
  }
  return newest - oldest;
}

}  // namespace tandem
