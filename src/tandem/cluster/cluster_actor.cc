#include "tandem/cluster/cluster_actor.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/cluster/answers.h"

namespace tandem {
namespace {

/// Between two questions for credit, and before a lost message is sent again.
constexpr double kAskSeconds = 0.02;
constexpr double kMostAskSeconds = 0.64;
constexpr double kAgainSeconds = 0.1;

constexpr std::chrono::milliseconds kPoll(5);

}  // namespace

ClusterActor::ClusterActor(const ClusterActorOptions& options, MakePlayer make_player,
                           std::vector<std::byte> state)
    : options_(options),
      make_player_(std::move(make_player)),
      state_(std::move(state)),
      published_(std::vector<float>(options.parameters)),
      self_(options.self),
      routes_(options.receivers.size()) {
  crew_.spawn("actor", 1, [this](int) { run(); });
}

ClusterActor::~ClusterActor() {
  mailbox_.close();
  crew_.end();
}

void ClusterActor::stop() {
  crew_.stop();
  changed_.notify_all();
}

void ClusterActor::run() {
  try {
    wait_for_parameters();
    start();
    while (!crew_.stop_token().stop_requested()) {
      options_.lockstep ? take_turn() : play_on();
    }
  } catch (const Stopped&) {
  } catch (...) {
    const Lock lock(mutex_);
    error_ = std::current_exception();
  }
  const Lock lock(mutex_);
  ended_ = true;
}

/// The status tells for how long this goes on: an environment may hang.
void ClusterActor::start() {
  {
    const Lock lock(mutex_);
    starting_since_.emplace();
  }
  player_ = make_player_(published_);
  player_->on_step([this] {
    const Lock lock(mutex_);
    if (playing_since_) playing_since_.emplace();
  });
  if (state_.empty()) {
    player_->start();
  } else {
    StateReader reader(state_);
    player_->load(reader);
  }
  const Lock lock(mutex_);
  starting_since_.reset();
}

void ClusterActor::play_on() {
  std::int64_t credit = 0;
  {
    const Lock lock(mutex_);
    if (!failure_.empty()) throw Error(failure_);
    for (const auto& route : routes_) credit += route.credit;
  }
  if (credit > player_->packed() && player_->packed_bytes() < 2 * kMessageBytes) {
    play();
  } else {
    wait_for_answers();
  }
  send_what_is_packed(false);
  report(false);
}

/// The status tells for how long a step goes on.
void ClusterActor::play() {
  {
    const Lock lock(mutex_);
    playing_since_.emplace();
  }
  player_->play();
  const Lock lock(mutex_);
  playing_since_.reset();
}

/// The report ends a round of lockstep, so the receivers must have the round's transitions first.
void ClusterActor::take_turn() {
  bool plays = false;
  bool reports = false;
  {
    const Lock lock(mutex_);
    if (!failure_.empty()) throw Error(failure_);
    const bool received = player_->packed() == 0 && std::ranges::all_of(routes_, &Route::free);
    const bool free = received && to_learner_.free();
    plays = free && !round_ends_ && rounds_ - rounds_before_ < rounds_ordered_;
    const bool due = round_ends_ || state_wanted_ > state_sent_ || to_learner_.lost;
    reports = received && due;
  }
  if (plays) {
    play();
    const Lock lock(mutex_);
    rounds_ += 1;
    round_ends_ = true;
  } else if (reports && report(true)) {
    const Lock lock(mutex_);
    round_ends_ = false;
  } else {
    wait_for_answers();
  }
  send_what_is_packed(true);
}

void ClusterActor::wait_for_parameters() {
  WaitLock lock(mutex_);
  wait_until(changed_, lock, crew_.stop_token(),
             [&]() TANDEM_REQUIRES(mutex_) { return parameters_version_ > 0; });
}

void ClusterActor::wait_for_answers() {
  const Stopwatch watch;
  WaitLock lock(mutex_);
  changed_.wait_for(lock, kPoll);
  waited_seconds_ += watch.seconds();
  unreported_wait_ += watch.seconds();
}

/// Sends to the receivers in turn, each time to the next that has answered. A receiver without
/// credit for this actor gets an empty message, which asks for some.
void ClusterActor::send_what_is_packed(bool at_once) {
  std::vector<std::pair<std::size_t, std::vector<std::byte>>> out;
  {
    const Lock lock(mutex_);
    for (std::size_t i = 0; i < routes_.size(); ++i) {
      auto& route = routes_[i];
      if (!route.lost || route.since.seconds() < kAgainSeconds) continue;
      route.lost = false;
      route.since.lap();
      out.emplace_back(i, route.under_way);
    }
    for (std::size_t i = 0; i < routes_.size(); ++i) {
      auto& route = routes_[(turn_ + i) % routes_.size()];
      if (!route.free()) continue;
      const bool full = player_->packed_bytes() >= kMessageBytes ||
                        player_->packed() >= route.credit ||
                        since_packed_.seconds() >= kMessageSeconds;
      const bool sends = player_->packed() > 0 && (at_once || (route.credit > 0 && full));
      const bool asks = route.credit <= 0 && route.since.seconds() >= route.pause_seconds;
      if (!sends && (!asks || at_once)) continue;
      MessageWriter writer(self_, Verb::insert, ++route.sequence);
      if (sends) route.credit = std::max<std::int64_t>(0, route.credit - player_->packed());
      writer.content().put(route.credit);
      writer.content().put(options_.window);
      if (sends) {
        route.sent += player_->packed();
        player_->take(writer.content());
        turn_ = (turn_ + i + 1) % routes_.size();
        since_packed_.lap();
      }
      route.under_way = std::move(writer).seal();
      route.sent_bytes += std::ssize(route.under_way);
      route.since.lap();
      out.emplace_back(static_cast<std::size_t>(&route - routes_.data()), route.under_way);
      if (sends) break;
    }
  }
  for (auto& [index, message] : out) {
    mailbox_.send(options_.receivers[index], std::move(message),
                  [this, index = index](auto answer) { hear_receiver(index, answer); });
  }
}

void ClusterActor::hear_receiver(std::size_t index,
                                 std::optional<std::span<const std::byte>> answer) {
  const auto [granted, repeated, failure] = read_receiver_answer(answer, options_.window);
  {
    const Lock lock(mutex_);
    auto& route = routes_[index];
    route.unheard += granted ? 0 : 1;
    route.repeated += repeated ? 1 : 0;
    if (granted) {
      route.under_way.clear();
      route.credit += *granted;
      // An actor that gets nothing asks less often: many actors wait for few shards.
      route.pause_seconds =
          *granted > 0 ? kAskSeconds : std::min(2 * route.pause_seconds, kMostAskSeconds);
    } else {
      route.lost = true;
    }
    if (!failure.empty()) failure_ = failure;
    route.since.lap();
  }
  changed_.notify_all();
}

/// Sends a report if one is due, or again if one was lost. Returns whether it sent a new one.
bool ClusterActor::report(bool at_once) {
  auto newly = player_->take_played();
  played_.steps += newly.steps;
  played_.seconds += newly.seconds;
  std::ranges::move(newly.episodes, std::back_inserter(played_.episodes));
  std::vector<std::byte> message;
  std::uint64_t sequence = 0;
  bool is_new = false;
  {
    const Lock lock(mutex_);
    steps_ += newly.steps;
    if (to_learner_.lost && to_learner_.since.seconds() >= kAgainSeconds) {
      to_learner_.lost = false;
      message = to_learner_.under_way;
    } else if (to_learner_.free() &&
               (at_once || since_report_.seconds() >= options_.report_seconds)) {
      MessageWriter writer(self_, Verb::report, ++to_learner_.sequence);
      played_.seconds.waiting += std::exchange(unreported_wait_, 0);
      std::exchange(played_, {}).save(writer.content());
      writer.content().put(parameters_version_);
      writer.content().put(rounds_ - rounds_before_);
      StateWriter state;
      if (state_wanted_ > state_sent_) player_->save(state);
      state_sent_ = state_wanted_;
      writer.content().put(state_sent_);
      writer.content().put_bytes(state.bytes());
      to_learner_.under_way = std::move(writer).seal();
      message = to_learner_.under_way;
      is_new = true;
      since_report_.lap();
    }
    sequence = to_learner_.sequence;
    if (!message.empty()) to_learner_.since.lap();
  }
  if (message.empty()) return false;
  mailbox_.send("learner", std::move(message),
                [this, sequence](auto answer) { hear_learner(sequence, answer); });
  return is_new;
}

void ClusterActor::hear_learner(std::uint64_t sequence,
                                std::optional<std::span<const std::byte>> answer) {
  const auto [heard, epoch, wanted, failure] = read_learner_answer(answer);
  {
    const Lock lock(mutex_);
    if (sequence == to_learner_.sequence && !to_learner_.free()) {
      if (heard) to_learner_.under_way.clear();
      to_learner_.lost = !heard;
      to_learner_.since.lap();
    }
    // A learner that was replaced numbered its checkpoints otherwise.
    if (epoch == self_.epoch) state_wanted_ = std::max(state_wanted_, wanted);
    if (!failure.empty()) failure_ = failure;
  }
  changed_.notify_all();
}

std::vector<std::byte> ClusterActor::deliver(std::span<const std::byte> message) {
  Verb verb = Verb::garbled;
  try {
    const auto letter = open_message(message);
    StateReader reader(letter.content);
    const auto version = reader.get<std::int64_t>();
    const auto rounds = reader.get<std::int64_t>();
    const auto wanted = reader.get<std::uint64_t>();
    const auto bytes = reader.get_bytes();
    const Lock lock(mutex_);
    verb = Verb::past;
    if (letter.from.run == self_.run && letter.from.epoch >= self_.epoch) {
      const bool newer = letter.from.epoch > self_.epoch || version > parameters_version_;
      if (newer && bytes.size() == published_.size() * sizeof(float)) {
        std::vector<float> parameters(published_.size());
        std::memcpy(parameters.data(), bytes.data(), bytes.size());
        published_.stage(parameters);
        published_.publish(version - 1);  // the number of updates of the learner's model
        parameters_version_ = version;
      }
      if (letter.from.epoch > self_.epoch) {
        // A new learner numbers its checkpoints and its rounds anew. Its checkpoint may count the
        // report that the old one has not answered.
        to_learner_.under_way.clear();
        to_learner_.lost = false;
        state_wanted_ = 0;
        state_sent_ = 0;
        rounds_ordered_ = 0;
        rounds_before_ = rounds_;
      }
      self_.epoch = letter.from.epoch;
      rounds_ordered_ = std::max(rounds_ordered_, rounds);
      state_wanted_ = std::max(state_wanted_, wanted);
      verb = Verb::done;
    }
  } catch (const Error& error) {
    spdlog::warn("{}", error.what());
  }
  changed_.notify_all();
  return MessageWriter(options_.self, verb).seal();
}

nlohmann::ordered_json ClusterActor::status() const {
  const Lock lock(mutex_);
  Route all;
  std::int64_t open = 0;
  for (const auto& route : routes_) {
    all.credit += route.credit;
    all.sent += route.sent;
    all.sent_bytes += route.sent_bytes;
    all.unheard += route.unheard;
    all.repeated += route.repeated;
    open += route.free() ? 0 : 1;
  }
  return {{"steps", steps_},
          {"credit", all.credit},
          {"sent", all.sent},
          {"sent_bytes", all.sent_bytes},
          {"open", open},
          {"unheard", all.unheard},
          {"repeated", all.repeated},
          {"parameters_version", parameters_version_},
          {"starting_seconds", starting_since_ ? starting_since_->seconds() : 0},
          {"busy_seconds", playing_since_ ? playing_since_->seconds() : 0},
          {"waited_seconds", waited_seconds_}};
}

bool ClusterActor::ended() const {
  const Lock lock(mutex_);
  return ended_;
}

void ClusterActor::raise_error() {
  std::exception_ptr error;
  {
    const Lock lock(mutex_);
    error = std::exchange(error_, nullptr);
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace tandem
