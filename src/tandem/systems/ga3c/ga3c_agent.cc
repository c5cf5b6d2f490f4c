#include "tandem/systems/ga3c/ga3c_agent.h"

#include <string>
#include <utility>

#include "tandem/systems/common/thread_state.h"

namespace tandem {
Ga3cAgent::Ga3cAgent(const Ga3cConfig& config, const ActorContext& context,
                     BatchedInference& inference, const TargetParameters& target, int rank)
    : rank_(rank),
      client_(inference),
      target_(target, context.make_network),
      collector_(
          VecEnv(context.make_env, {.first = rank * static_cast<int>(config.envs),
                                    .count = static_cast<int>(config.envs),
                                    .seed = context.seed}),
          client_, target_.get(), context.rule, context.bootstrap, static_cast<int>(config.t_max),
          config.envs == 1 ? RolloutEnd::at_episode : RolloutEnd::after_t_max,
          target.exist() ? LastState::looked_at_again : LastState::acted_on, context.rewards),
      chooses_ahead_(target_.get() == nullptr && context.bootstrap != Bootstrap::none) {}

void Ga3cAgent::start(const Checkpoint* resume) {
  start_or_load(collector_, resume, state_name(rank_));
}

void Ga3cAgent::play(TrainingQueue& queue, std::unique_ptr<Experience> used, std::int64_t steps) {
  target_.synchronise();
  const std::int64_t ahead = client_.version();
  const Rollout& played = collector_.collect(steps);
  // If no action was chosen in advance, the model of the last action stands for that of the first,
  // which is hardly older.
  const bool chosen_ahead = !std::exchange(looks_again_, false) && chooses_ahead_;
  const std::int64_t version = chosen_ahead ? ahead : client_.version();
  if (used == nullptr) used = std::make_unique<Experience>(Experience{played});
  collector_.exchange(used->rollout);
  used->episodes = collector_.take_episodes();
  used->seconds = collector_.take_seconds();
  // Predictors count their computing time themselves, so an agent's inference counts as waiting.
  used->seconds.waiting = std::exchange(used->seconds.inferring, 0) + waited_seconds_;
  used->version = version;
  const Stopwatch watch;
  queue.push(std::move(used));
  waited_seconds_ = watch.seconds();
}

void Ga3cAgent::look_again() {
  collector_.look_again();
  looks_again_ = true;
}

std::string Ga3cAgent::state_name(int rank) {
  return tandem::state_name("agent", static_cast<std::size_t>(rank));
}

void Ga3cAgent::save(Checkpoint& checkpoint) {
  save_state(collector_, state_name(rank_), checkpoint);
}

}  // namespace tandem
