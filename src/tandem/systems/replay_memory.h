// Whether a replay will fit into memory.
#pragma once

#include <cstdint>
#include <optional>

#include "tandem/replay/table.h"

namespace tandem {

/// Bytes of a transition of which frames are kept as they are, its share of its segment's frames
/// and of the index included; n: its steps. Pure.
double raw_bytes_per_transition(const ReplayConfig& config, const FrameFormat& format,
                                std::int64_t n);

/// Throws Error with the figures, and with what would fit, where a full replay of transitions of so
/// many bytes needs more than what is available and what it has already; not where nobody knows
/// what is available.
void require_memory(const ReplayConfig& config, double bytes_per_transition, double bytes_so_far,
                    std::optional<std::int64_t> available_bytes);

}  // namespace tandem
