#include "tandem/cluster/apex/shard_pieces.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <limits>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "tandem/base/clock.h"
#include "tandem/base/error.h"
#include "tandem/cluster/draw.h"
#include "tandem/cluster/message.h"
#include "tandem/sync/crew.h"
#include "tandem/systems/apex/apex_parts.h"

namespace tandem {
namespace {

/// A shard that has not answered for so long is lost for the purpose at hand.
constexpr double kPatienceSeconds = 30;

std::string address(int shard) { return fmt::format("shard:{}", shard); }

/// Asks a shard, again if an answer was lost, and waits. Nothing if the shard refuses or has not
/// answered for long. Throws Stopped soon after a stop was requested, and so do lost_its_replay()
/// and restore_shard().
std::optional<std::vector<std::byte>> ask(ClusterLink& link, int shard,
                                          const std::vector<std::byte>& message,
                                          const StopRequested& stop_requested) {
  const Stopwatch watch;
  while (watch.seconds() < kPatienceSeconds) {
    auto answer = link.ask(address(shard), message, stop_requested);
    if (answer) {
      try {
        const auto verb = open_message(*answer).verb;
        if (verb == Verb::done || verb == Verb::again) return answer;
        return std::nullopt;
      } catch (const Error& error) {
        spdlog::warn("shard {}: {}", shard, error.what());
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return std::nullopt;
}

MessageWriter message(ClusterLink& link, int shard, Verb verb) {
  return {link.self(), verb, link.next_sequence(shard)};
}

/// Whether no learner has drawn from a shard, which has fewer inserts than the checkpoint counts.
/// Then its replay was lost, though actors may have inserted something since. Any other shard has
/// its replay, and a newer one than the checkpoint's.
bool lost_its_replay(ClusterLink& link, int shard, std::int64_t inserted,
                     const StopRequested& stop_requested) {
  const Stopwatch watch;
  while (watch.seconds() < kPatienceSeconds) {
    auto writer = message(link, shard, Verb::draw);  // a new one: only that has the state
    DrawOrder{}.save(writer.content());
    const auto answer = ask(link, shard, std::move(writer).seal(), stop_requested);
    if (!answer) break;
    const auto letter = open_message(*answer);
    if (letter.verb != Verb::done) continue;
    StateReader reader(letter.content);
    const auto table = DrawAnswer::load(reader).state.table;
    return table.sampled == 0 && table.inserted < inserted;
  }
  spdlog::warn("shard {} did not answer, so its replay is not restored", shard);
  return false;
}

/// Sends one shard its pieces; returns whether it took them all.
bool restore_shard(ClusterLink& link, int shard, const GivePieces& pieces,
                   const StopRequested& stop_requested) {
  std::uint64_t number = 0;
  bool takes = true;
  const auto send = [&](std::span<const std::byte> piece) {
    if (stop_requested()) throw Stopped();
    if (!takes) return;
    auto writer = message(link, shard, Verb::restore);
    writer.content().put(number++);
    writer.content().put_bytes(piece);
    takes = ask(link, shard, std::move(writer).seal(), stop_requested).has_value();
  };
  pieces(send);
  send({});
  return takes;
}

/// The inserts of a shard's replay in a checkpoint. That of one process, or of before this count,
/// has no such number.
std::int64_t inserted_in(const Checkpoint& checkpoint, int shard) {
  const auto cluster = checkpoint.meta.find(kClusterPart);
  const bool counts = cluster != checkpoint.meta.end() && cluster->contains("held");
  if (!counts) return std::numeric_limits<std::int64_t>::max();
  return cluster->at("held").at(static_cast<std::size_t>(shard)).get<std::int64_t>();
}

}  // namespace

std::string shard_pieces_name(int shard) {
  return shard == 0 ? kReplayPieces : fmt::format("{}_{}", kReplayPieces, shard);
}

GivePieces pieces_of_shard(ClusterLink& link, int shard) {
  return [&link, shard](const TakePiece& take) {
    const auto never = [] { return false; };  // a stopped run needs its last checkpoint
    for (std::uint64_t number = 0;; ++number) {
      auto writer = message(link, shard, Verb::save);
      writer.content().put(number);
      const auto answer = ask(link, shard, std::move(writer).seal(), never);
      if (!answer) {
        spdlog::warn(
            "shard {} was lost while it was saved; a run that resumes from this checkpoint "
            "fills it anew",
            shard);
        throw PiecesLost();
      }
      StateReader reader(open_message(*answer).content);
      if (reader.at_end()) return;
      take(reader.get_bytes());
    }
  };
}

bool restore_shards(ClusterLink& link, const Checkpoint& checkpoint,
                    const StopRequested& stop_requested) {
  try {
    for (int shard = 0; shard < link.shards(); ++shard) {
      const auto found = checkpoint.pieces.find(shard_pieces_name(shard));
      if (found == checkpoint.pieces.end()) continue;
      const auto inserted = inserted_in(checkpoint, shard);
      if (!lost_its_replay(link, shard, inserted, stop_requested)) continue;
      if (restore_shard(link, shard, found->second, stop_requested)) continue;
      spdlog::warn("shard {} did not take the checkpoint's replay, so it fills anew", shard);
    }
    return true;
  } catch (const Stopped&) {
    return false;
  }
}

}  // namespace tandem
