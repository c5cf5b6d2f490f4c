// Parts of Ape-X that its ways to train share.
#pragma once

#include <cstdint>
#include <vector>

#include "tandem/replay/table.h"
#include "tandem/run/checkpoint.h"
#include "tandem/systems/apex/apex_config.h"
#include "tandem/systems/common/training_context.h"

namespace tandem {

struct ApexActorOptions;

/// The name of the replay's pieces in a checkpoint.
inline constexpr auto kReplayPieces = "replay";

/// Restores a checkpoint's replay into an empty table, if there is one.
void load_replay(const Checkpoint& checkpoint, Table& table);

/// The steps of an actor between two copies of the parameters (Algorithm 1, line 13).
std::int64_t refresh_steps(const ApexConfig& config, const EnvSpec& spec);

/// The environments of actor `rank`, and how it makes transitions.
ApexActorOptions actor_options(const ApexConfig& config, const ReplayConfig& replay,
                               const ActorContext& context, const EnvSpec& spec, int rank);

/// The first epsilon of each environment. Empty where an environment has several agents, because
/// each has an epsilon of its own.
std::vector<float> epsilons_of(const ApexConfig& config, const EnvSpec& spec,
                               const ActingRule& rule);

/// The number of batches in memory: those that wait for the learner, one at the learner, and one
/// that is being drawn. Pure.
std::int64_t batches_of(const ApexConfig& config);

/// Throws Error if the replay or its batches need more memory than is available. The size of
/// uncompressed frames is known in advance; MemoryWatch watches compressed frames as they arrive.
void require_memory_for(const ApexConfig& config, const ReplayConfig& replay,
                        const FrameFormat& format);

}  // namespace tandem
