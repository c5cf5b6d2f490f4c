// Saves the shards of a replay into checkpoints, and fills them from there.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "tandem/base/state.h"
#include "tandem/cluster/cluster_link.h"
#include "tandem/run/checkpoint.h"

namespace tandem {

/// The name of a shard's pieces in a checkpoint. The first has that of one machine's replay.
[[nodiscard]] std::string shard_pieces_name(int shard);

/// The pieces of a shard, which it is asked for one by one while the checkpoint is written. If the
/// shard is lost meanwhile, the pieces that came remain. `link` and `stop` must outlive it.
[[nodiscard]] GivePieces pieces_of_shard(ClusterLink& link, int shard, std::stop_token stop);

/// The part of a checkpoint's meta with RemoteReplay's counts.
inline constexpr auto kClusterPart = "cluster";

/// Fills each shard that has lost its replay from its pieces in the checkpoint, if it has any. A
/// shard that refuses them, or that lost some while they were saved, stays empty, with a word to
/// the user.
void restore_shards(ClusterLink& link, const Checkpoint& checkpoint, const std::stop_token& stop);

}  // namespace tandem
