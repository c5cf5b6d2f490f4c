// The ids of all random streams.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace tandem::streams {

/// Ids of random streams (see Stream) that belong to one purpose. Constant, so any thread may use
/// it.
struct Range {
  std::uint64_t first = 0;
  std::uint64_t size = 1;

  /// The id of number `index` of this range; index < size.
  [[nodiscard]] constexpr std::uint64_t id(std::uint64_t index = 0) const { return first + index; }
};

// Streams of one seed draw different numbers if their ids differ. So each purpose has a range of
// its own here, and no other place makes an id. To move a range changes the bits of all that it
// draws.

/// Row i of all environments (one an agent): resets, steps and actions.
inline constexpr Range kEnvironments = {.first = 0, .size = std::uint64_t{1} << 40};
/// The seed of environment i's foreign emulator.
inline constexpr Range kEmulators = {.first = std::uint64_t{1} << 40,
                                     .size = std::uint64_t{1} << 40};
/// The values that repetition i of a sweep draws.
inline constexpr Range kSweeps = {.first = std::uint64_t{1} << 41, .size = std::uint64_t{1} << 40};
/// The step of game i at which a start is recorded.
inline constexpr Range kStarts = {.first = std::uint64_t{3} << 40, .size = std::uint64_t{1} << 40};
/// Random play that measures numbers of a config.
inline constexpr Range kMeasurement = {.first = std::uint64_t{1} << 44};
/// The seed of the games that evaluate a training run.
inline constexpr Range kEvaluation = {.first = std::uint64_t{1} << 45};
/// Actions of random play that can be played back.
inline constexpr Range kRandomActions = {.first = std::uint64_t{1} << 46};
/// The sampler and the remover of a replay.
inline constexpr Range kReplay = {.first = std::uint64_t{1} << 47};
/// The division of batches among the shards of a replay.
inline constexpr Range kShards = {.first = (std::uint64_t{1} << 47) + 1};
/// Row i of a policy that acts in environments whose streams belong to its caller.
inline constexpr Range kPlayers = {.first = std::uint64_t{1} << 48, .size = std::uint64_t{1} << 40};
/// Number i of the simulations and measurements whose seed is fixed.
inline constexpr Range kSimulations = {.first = std::uint64_t{1} << 49,
                                       .size = std::uint64_t{1} << 40};
/// The final chance of a blind action: 2^32 draws for each of 2^30 environments.
inline constexpr Range kExploration = {.first = std::uint64_t{1} << 62,
                                       .size = std::uint64_t{1} << 62};
/// The order of samples in minibatches.
inline constexpr Range kMinibatches = {.first = ~std::uint64_t{3}};
/// GA3C's search for the numbers of its threads.
inline constexpr Range kThreadSearch = {.first = ~std::uint64_t{2}};
/// A learning rate from a range (optimizer.lr_choice).
inline constexpr Range kLearningRate = {.first = ~std::uint64_t{1}};
/// The first parameters of a network.
inline constexpr Range kInitialisation = {.first = ~std::uint64_t{0}};

/// All of the above.
inline constexpr std::array kAll = {kEnvironments, kEmulators,    kSweeps,        kStarts,
                                    kMeasurement,  kEvaluation,   kRandomActions, kReplay,
                                    kShards,       kPlayers,      kSimulations,   kExploration,
                                    kMinibatches,  kThreadSearch, kLearningRate,  kInitialisation};

/// Whether no id belongs to two ranges. Ranges must end at or before 2^64.
constexpr bool disjoint(std::span<const Range> ranges) {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    for (std::size_t j = i + 1; j < ranges.size(); ++j) {
      const auto& [low, high] = ranges[i].first < ranges[j].first ? std::pair(ranges[i], ranges[j])
                                                                  : std::pair(ranges[j], ranges[i]);
      if (high.first - low.first < low.size) return false;
    }
  }
  return true;
}

static_assert(disjoint(kAll), "two purposes share ids of random streams");

}  // namespace tandem::streams
