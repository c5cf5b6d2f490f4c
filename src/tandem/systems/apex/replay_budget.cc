#include "tandem/systems/apex/replay_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tandem/base/error.h"

namespace tandem {
namespace {

/// Bytes of slots, orders and trees for one transition in the index.
constexpr double kIndexBytes = 80;

/// The share of the memory that a replay may use. The rest of the run needs memory, too, and actors
/// may exceed the capacity between two removals.
constexpr double kUsable = 0.9;

/// The mean lifetime of a segment over that of a transition. A segment lives until its last
/// transition is removed. If K transitions are removed at random, the last of them lives 1 + 1/2 +
/// ... + 1/K times as long as the mean.
double outliving(const ReplayConfig& config) {
  if (config.remover == "fifo") return 1;
  double sum = 0;
  for (std::int64_t k = 1; k <= config.segment; ++k) sum += 1.0 / static_cast<double>(k);
  return sum;
}

/// The memory that a replay may use, which holds some bytes of it already.
double usable_bytes(std::int64_t available_bytes, double bytes_so_far) {
  return kUsable * (static_cast<double>(available_bytes) + bytes_so_far);
}

/// How much more memory a replay must need until its watch looks again.
constexpr double kGrown = 1.06;

}  // namespace

double raw_bytes_per_transition(const ReplayConfig& config, const FrameFormat& format,
                                std::int64_t n, std::int64_t copies) {
  const auto transitions = static_cast<double>(config.segment);
  // The first observation has a stack of frames, and the last observation follows n steps later.
  const double frames = transitions + static_cast<double>(format.stack - 1 + n);
  const double own = frames / transitions * static_cast<double>(format.frame_bytes) +
                     sizeof(Transition) + static_cast<double>(format.action_dims * sizeof(float));
  return own * outliving(config) / static_cast<double>(copies) + kIndexBytes;
}

void require_memory(const ReplayConfig& config, double bytes_per_transition, double bytes_so_far,
                    std::optional<std::int64_t> available_bytes) {
  if (!available_bytes) return;
  const double usable = usable_bytes(*available_bytes, bytes_so_far);
  const double needed = static_cast<double>(config.capacity) * bytes_per_transition;
  if (needed <= usable) return;
  throw Error(fmt::format(
      "replay.capacity = {} transitions of {:.0f} bytes need {:.1f} GB of memory, and {:.1f} GB "
      "can be had: set replay.capacity to {:.0f} at most{}",
      config.capacity, bytes_per_transition, needed / 1e9, usable / 1e9,
      usable / bytes_per_transition,
      config.compression == "none"
          ? ", or replay.compression=lz4 (pictures of games take about a tenth)"
          : ""));
}

std::optional<std::int64_t> require_memory_for_batches(
    const FrameFormat& format, std::int64_t batch, std::int64_t batches,
    std::optional<std::int64_t> available_bytes) {
  const auto bytes = batches * batch * 2 *
                     static_cast<std::int64_t>(format.observation_bytes());  // S_t and S_{t+n}
  if (!available_bytes) return std::nullopt;
  if (bytes < *available_bytes) return *available_bytes - bytes;
  throw Error(fmt::format(
      "{} batches of {} transitions need {:.1f} GB of memory, and {:.1f} GB can be had: set "
      "apex.batch or apex.prefetch to less",
      batches, batch, static_cast<double>(bytes) / 1e9,
      static_cast<double>(*available_bytes) / 1e9));
}

MemoryWatch::MemoryWatch(const ReplayConfig& config,
                         std::function<std::optional<std::int64_t>()> available_bytes)
    : config_(config), available_bytes_(std::move(available_bytes)) {}

void MemoryWatch::look(const TableState& state) {
  // The index of a replay that has just begun has room for many more.
  constexpr std::int64_t kEnough = 1000;
  if (state.transitions < std::min(kEnough, config_.capacity)) return;
  const double bytes = state.bytes_per_transition();
  // Actors that do not wait for the learner insert beyond the capacity until it removes.
  const double needed = bytes * static_cast<double>(std::max(config_.capacity, state.transitions));
  if (needed <= kGrown * needed_) return;
  needed_ = needed;
  const auto available = available_bytes_();
  const auto held = static_cast<double>(state.bytes);
  require_memory(config_, bytes, held, available);
  if (!available || needed <= usable_bytes(*available, held)) return;
  throw Error(fmt::format(
      "the replay holds {} transitions of {:.0f} bytes, and the memory ends at {:.1f} GB. Its "
      "replay.capacity is {}, but actors insert faster than the learner removes: set "
      "replay.samples_per_insert, such as 2, so that they wait for it, or less apex.trim_updates",
      state.transitions, bytes, usable_bytes(*available, held) / 1e9, config_.capacity));
}

}  // namespace tandem
