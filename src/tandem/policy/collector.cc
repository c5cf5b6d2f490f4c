#include "tandem/policy/collector.h"

#include <algorithm>
#include <utility>

namespace tandem {

Collector::Collector(VecEnv env, Network& network, const Algorithm& algorithm, int t_max,
                     RolloutEnd end)
    : env_(std::move(env)),
      network_(network),
      algorithm_(algorithm),
      end_(end),
      rollout_(env_.spec(), t_max, env_.size()),
      logits_(static_cast<std::size_t>(env_.size() * network.architecture().policy_outputs)),
      value_(static_cast<std::size_t>(env_.size())),
      actions_(static_cast<std::size_t>(env_.size())) {
  for (int id = 0; id < env_.size(); ++id) streams_.push_back(&env_.stream(id));
}

void Collector::start() { env_.reset(rollout_.observations(rollout_.steps())); }

void Collector::load(StateReader& reader) {
  env_.load(reader, rollout_.observations(rollout_.steps()));
}

const Rollout& Collector::collect() {
  rollout_.carry_over();
  for (int t = 0; t < rollout_.steps(); ++t) {
    act(t);
    step(t);
    if (end_ == RolloutEnd::at_episode && rollout_.discounts(t)[0] == 0) rollout_.set_steps(t + 1);
  }
  Stopwatch watch;
  const int last = rollout_.steps();
  std::ranges::copy(values(rollout_.observations(last), env_.size()),
                    rollout_.values(last).begin());
  seconds_.inferring += watch.lap();
  return rollout_;
}

TimeShares Collector::take_seconds() { return std::exchange(seconds_, {}); }

void Collector::act(int t) {
  Stopwatch watch;
  const Heads heads = outputs(env_.size());
  network_.record({rollout_.observations(t)}, heads);
  std::ranges::copy(heads.value, rollout_.values(t).begin());
  algorithm_.act(heads, streams_, rollout_.actions(t));
  seconds_.inferring += watch.lap();
}

void Collector::step(int t) {
  Stopwatch watch;
  const auto chosen = rollout_.actions(t);
  for (std::size_t i = 0; i < actions_.size(); ++i) actions_[i].discrete = chosen[i];
  env_.step(actions_, rollout_.observations(t + 1));
  seconds_.stepping += watch.lap();

  const auto gamma = static_cast<float>(algorithm_.gamma());
  for (int id = 0; id < env_.size(); ++id) {
    const StepResult& result = env_.result(id);
    const auto i = static_cast<std::size_t>(id);
    float reward = algorithm_.reward(result.reward);
    // An episode that a limit cut off goes on in truth: its last state keeps its value.
    if (result.truncated && !result.terminated) {
      reward += gamma * values(env_.final_observation(id), 1)[0];
    }
    rollout_.rewards(t)[i] = reward;
    rollout_.discounts(t)[i] = result.terminated || result.truncated ? 0.0F : gamma;
  }
  seconds_.inferring += watch.lap();
}

Heads Collector::outputs(std::int64_t batch) {
  const auto& architecture = network_.architecture();
  const std::int64_t actions = architecture.policy_outputs;
  return {batch, actions, std::span(logits_).first(static_cast<std::size_t>(batch * actions)),
          std::span(value_).first(architecture.value_head ? static_cast<std::size_t>(batch) : 0)};
}

std::span<const float> Collector::values(std::span<const std::byte> observations,
                                         std::int64_t batch) {
  const Heads heads = outputs(batch);
  network_.forward({observations}, heads);
  return heads.value;
}

}  // namespace tandem
