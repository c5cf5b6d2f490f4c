// Whether a replay will fit into memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "tandem/replay/table.h"

namespace tandem {

/// Bytes of a transition of which frames are kept as they are, its share of its segment's frames
/// and of the index included; n: its steps; copies: how often each is held. Pure.
double raw_bytes_per_transition(const ReplayConfig& config, const FrameFormat& format,
                                std::int64_t n, std::int64_t copies = 1);

/// Throws Error with the figures, and with what would fit, where a full replay of transitions of so
/// many bytes needs more than what is available and what it has already; not where nobody knows
/// what is available.
void require_memory(const ReplayConfig& config, double bytes_per_transition, double bytes_so_far,
                    std::optional<std::int64_t> available_bytes);

/// Throws Error with the figures where so many batches of what is sampled do not fit into what is
/// available.
void require_memory_for_batches(const FrameFormat& format, std::int64_t batch, std::int64_t batches,
                                std::optional<std::int64_t> available_bytes);

/// Watches a replay as it fills, whose transitions may turn out to be larger than they were at
/// first: compressed, or when segments outlive most of theirs. Not thread-safe.
class MemoryWatch {
 public:
  /// `config` must outlive it; `available_bytes` is asked now and then.
  MemoryWatch(const ReplayConfig& config,
              std::function<std::optional<std::int64_t>()> available_bytes);

  /// Throws Error as require_memory() does, once transitions are a tenth larger than at the last
  /// look.
  void look(const TableState& state);

 private:
  const ReplayConfig& config_;
  std::function<std::optional<std::int64_t>()> available_bytes_;
  double bytes_per_transition_ = 0;
};

}  // namespace tandem
