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
      state_(network, env_.size()),
      logits_(static_cast<std::size_t>(env_.size() * network.architecture().policy_outputs)),
      value_(static_cast<std::size_t>(env_.size())),
      actions_(static_cast<std::size_t>(env_.size())) {
  for (int id = 0; id < env_.size(); ++id) {
    ids_.push_back(id);
    streams_.push_back(&env_.stream(id));
  }
}

void Collector::start() {
  env_.reset(rollout_.observations(rollout_.steps()));
  state_.restart();
}

void Collector::save(StateWriter& writer) const {
  env_.save(writer);
  state_.save(writer);
}

void Collector::load(StateReader& reader) {
  env_.load(reader, rollout_.observations(rollout_.steps()));
  state_.load(reader);
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
  std::ranges::copy(values(ids_, rollout_.observations(last)), rollout_.values(last).begin());
  seconds_.inferring += watch.lap();
  return rollout_;
}

TimeShares Collector::take_seconds() { return std::exchange(seconds_, {}); }

void Collector::act(int t) {
  Stopwatch watch;
  const Heads heads = outputs(env_.size());
  network_.record(state_.look(ids_, rollout_.observations(t)), heads);
  state_.keep(ids_);
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
      reward += gamma * values({&id, 1}, env_.final_observation(id))[0];
    }
    rollout_.rewards(t)[i] = reward;
    const bool ended = result.terminated || result.truncated;
    rollout_.discounts(t)[i] = ended ? 0.0F : gamma;
    if (ended) state_.restart(id);
  }
  seconds_.inferring += watch.lap();
}

Heads Collector::outputs(std::int64_t batch) {
  const auto& architecture = network_.architecture();
  const std::int64_t actions = architecture.policy_outputs;
  return {batch, actions, std::span(logits_).first(static_cast<std::size_t>(batch * actions)),
          std::span(value_).first(architecture.value_head ? static_cast<std::size_t>(batch) : 0)};
}

/// Without a trace in the states: acting in these observations is still to come.
std::span<const float> Collector::values(std::span<const int> ids,
                                         std::span<const std::byte> observations) {
  const Heads heads = outputs(static_cast<std::int64_t>(ids.size()));
  network_.forward(state_.look(ids, observations), heads);
  return heads.value;
}

}  // namespace tandem
