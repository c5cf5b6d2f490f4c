// Saves the shards of a replay into checkpoints, and fills them from there.
#pragma once

#include <cstdint>
#include <string>

#include "tandem/base/state.h"
#include "tandem/cluster/cluster_link.h"
#include "tandem/run/checkpoint.h"
#include "tandem/sync/stop_requested.h"

namespace tandem {

/// The name of a shard's pieces in a checkpoint. The first has that of one machine's replay.
[[nodiscard]] std::string shard_pieces_name(int shard);

/// The pieces of a shard, which it is asked for one by one while the checkpoint is written. If the
/// shard is lost meanwhile, the pieces that came remain. `link` must outlive it.
[[nodiscard]] GivePieces pieces_of_shard(ClusterLink& link, int shard);

/// The part of a checkpoint's meta with RemoteReplay's counts.
inline constexpr auto kClusterPart = "cluster";

/// Fills each shard that has lost its replay from its pieces in the checkpoint, if it has any. A
/// shard that refuses them, or that lost some while they were saved, stays empty, with a word to
/// the user. Returns false soon after `stop_requested` has returned true: some shards may then lack
/// their replay, so the run must not write a checkpoint of them.
[[nodiscard]] bool restore_shards(ClusterLink& link, const Checkpoint& checkpoint,
                                  const StopRequested& stop_requested);

}  // namespace tandem
