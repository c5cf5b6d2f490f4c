// Checks whether a replay fits into memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "tandem/replay/table.h"

namespace tandem {

/// Bytes of a transition whose frames are kept uncompressed, with its share of its segment's frames
/// and of the index. `n` is the number of its steps, `copies` how often the replay holds it. Pure.
double raw_bytes_per_transition(const ReplayConfig& config, const FrameFormat& format,
                                std::int64_t n, std::int64_t copies = 1);

/// Throws Error with the figures, and with a capacity that fits, if a full replay of such
/// transitions needs more than nine tenths of the available memory and of the bytes that it holds
/// already. Does nothing if the available memory is unknown.
void require_memory(const ReplayConfig& config, double bytes_per_transition, double bytes_so_far,
                    std::optional<std::int64_t> available_bytes);

/// Throws Error with the figures if `batches` sampled batches do not fit into the available memory.
/// Returns the memory that they leave.
std::optional<std::int64_t> require_memory_for_batches(const FrameFormat& format,
                                                       std::int64_t batch, std::int64_t batches,
                                                       std::optional<std::int64_t> available_bytes);

/// Watches a replay as it fills. The bytes per transition may grow: later transitions may compress
/// less than the first ones, and segments may outlive most of their transitions. The transitions
/// may exceed the capacity, too, while the learner removes none. Not thread-safe.
class MemoryWatch {
 public:
  /// `config` must outlive it. `available_bytes` is called for each check.
  MemoryWatch(const ReplayConfig& config,
              std::function<std::optional<std::int64_t>()> available_bytes);

  /// Checks as require_memory() does, if the replay needs 6 % more memory than at the last check.
  /// Throws Error likewise, and where transitions beyond the capacity take too much.
  void look(const TableState& state);

 private:
  const ReplayConfig& config_;
  std::function<std::optional<std::int64_t>()> available_bytes_;
  double needed_ = 0;  // bytes
};

}  // namespace tandem
