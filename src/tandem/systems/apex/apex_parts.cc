#include "tandem/systems/apex/apex_parts.h"

#include <algorithm>

#include "tandem/base/available_memory.h"
#include "tandem/replay/table_state.h"
#include "tandem/systems/apex/apex_actor.h"
#include "tandem/systems/apex/replay_budget.h"

namespace tandem {

void load_replay(const Checkpoint& checkpoint, Table& table) {
  const auto found = checkpoint.pieces.find(kReplayPieces);
  if (found != checkpoint.pieces.end()) restore(table, found->second);
}

std::int64_t refresh_steps(const ApexConfig& config, const EnvSpec& spec) {
  return std::max<std::int64_t>(1, config.refresh_frames / spec.frames_per_step);
}

ApexActorOptions actor_options(const ApexConfig& config, const ReplayConfig& replay,
                               const ActorContext& context, const EnvSpec& spec, int rank) {
  return {.first_env = rank * static_cast<int>(config.envs),
          .envs = static_cast<int>(config.envs),
          .seed = context.seed,
          // In lockstep parameters come in the same rounds for all, also for an actor that begins
          // anew between two; so an actor looks in each round.
          .refresh_steps = config.lockstep ? 1 : refresh_steps(config, spec),
          .format = frame_format(spec, compression_of(replay.compression)),
          .transitions = {.n = config.n,
                          .gamma = context.rule.gamma(),
                          .transitions = static_cast<std::size_t>(replay.segment)}};
}

std::vector<float> epsilons_of(const ApexConfig& config, const EnvSpec& spec,
                               const ActingRule& rule) {
  if (spec.agents > 1) return {};
  std::vector<float> epsilons(static_cast<std::size_t>(config.actors * config.envs));
  for (std::size_t env = 0; env < epsilons.size(); ++env) {
    epsilons[env] = rule.epsilon(static_cast<int>(env), 0, 0);
  }
  return epsilons;
}

std::int64_t batches_of(const ApexConfig& config) { return config.prefetch + 2; }

void require_memory_for(const ApexConfig& config, const ReplayConfig& replay,
                        const FrameFormat& format) {
  const auto available = available_memory_bytes();
  const auto left = require_memory_for_batches(format, config.batch, batches_of(config), available);
  if (replay.compression != "none") return;
  require_memory(replay, raw_bytes_per_transition(replay, format, config.n, config.copies), 0,
                 left);
}

}  // namespace tandem
