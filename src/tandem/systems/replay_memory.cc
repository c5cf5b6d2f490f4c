#include "tandem/systems/replay_memory.h"

#include <fmt/format.h>

#include "tandem/base/error.h"

namespace tandem {
namespace {

/// Slots, orders and trees of a transition in the index.
constexpr double kIndexBytes = 80;

/// A run needs some for all else, and actors may overshoot the capacity between two removals.
constexpr double kUsable = 0.9;

}  // namespace

double raw_bytes_per_transition(const ReplayConfig& config, const FrameFormat& format,
                                std::int64_t n) {
  const auto transitions = static_cast<double>(config.segment);
  // The first observation has a stack of frames, and the last one's comes n steps later.
  const double frames = transitions + static_cast<double>(format.stack - 1 + n);
  return frames / transitions * static_cast<double>(format.frame_bytes) + sizeof(Transition) +
         static_cast<double>(format.action_dims * sizeof(float)) + kIndexBytes;
}

void require_memory(const ReplayConfig& config, double bytes_per_transition, double bytes_so_far,
                    std::optional<std::int64_t> available_bytes) {
  if (!available_bytes) return;
  const double usable = kUsable * (static_cast<double>(*available_bytes) + bytes_so_far);
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

}  // namespace tandem
