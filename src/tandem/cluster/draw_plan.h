// Divides a batch among the shards of a replay.
#pragma once

#include <span>
#include <vector>

namespace tandem {

/// How many of `samples` each shard shall draw, so that every transition has the chance that it has
/// in one table of all shards: its weight over the sum of `masses`, where a shard's mass is the sum
/// of its transitions' weights. `share` is a random number in [0, 1). By systematic sampling each
/// number is at most one away from the shard's exact part of the batch, which is its mean. All 0 if
/// the masses are. Pure.
[[nodiscard]] std::vector<int> divide_batch(std::span<const double> masses, int samples,
                                            double share);

}  // namespace tandem
