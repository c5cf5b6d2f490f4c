#include "tandem/systems/impala/impala_actor.h"

#include <utility>

namespace tandem {

ImpalaActor::ImpalaActor(const ImpalaConfig& config, const ActorContext& context, NetworkCopy copy,
                         int rank, std::uint64_t seed)
    : copy_(std::move(copy)),
      network_(copy_.network()),
      collector_(VecEnv(context.make_env, {.first = rank * static_cast<int>(config.envs),
                                           .count = static_cast<int>(config.envs),
                                           .seed = seed}),
                 network_, nullptr, context.rule, context.bootstrap,
                 static_cast<int>(config.unroll), RolloutEnd::after_t_max,
                 LastState::looked_at_again, context.rewards) {}

std::unique_ptr<Experience> ImpalaActor::play(std::unique_ptr<Experience> used,
                                              std::int64_t steps) {
  copy_.synchronise();
  const Rollout& played = collector_.collect(steps);
  if (used == nullptr) used = std::make_unique<Experience>(Experience{played});
  collector_.exchange(used->rollout);
  used->episodes = collector_.take_episodes();
  used->seconds = collector_.take_seconds();
  used->version = copy_.version();
  return used;
}

}  // namespace tandem
