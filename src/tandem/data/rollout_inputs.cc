#include "tandem/data/rollout_inputs.h"

#include "tandem/base/append.h"

namespace tandem {

void RolloutInputs::clear() {
  rollouts_.clear();
  observations_.clear();
  states_.clear();
  episode_starts_.clear();
  follows_.clear();
}

void RolloutInputs::add(Rollout& rollout) {
  rollouts_.push_back(&rollout);
  observations_.add(rollout.observations(0, rollout.steps()));
}

Inputs RolloutInputs::of(const Network& network) {
  Inputs inputs = observations_.inputs_of(network);
  if (network.architecture().state_size() == 0) return inputs;
  states_.clear();
  episode_starts_.clear();
  follows_.clear();
  for (Rollout* rollout : rollouts_) add_sequences(*rollout);
  inputs.state = states_;
  inputs.episode_starts = episode_starts_;
  inputs.follows = follows_;
  return inputs;
}

void RolloutInputs::record(Network& network, HeadsBuffer& heads) {
  std::int64_t samples = 0;
  for (const Rollout* rollout : rollouts_) samples += rollout->samples();
  network.record(of(network), heads.of(network.architecture(), samples));
}

/// Only the first states of sequences count; a pass computes all others.
void RolloutInputs::add_sequences(Rollout& rollout) {
  const auto envs = std::int64_t{rollout.envs()};
  const auto first = std::ssize(follows_);
  append<float>(states_, rollout.states(0, rollout.steps()));
  append<std::uint8_t>(episode_starts_, rollout.episode_starts(0, rollout.steps()));
  for (std::int64_t i = 0; i < rollout.samples(); ++i) {
    follows_.push_back(i < envs ? kStartsSequence : first + i - envs);
  }
}

Inputs RolloutInputs::after(const Network& network) {
  last_observations_.clear();
  last_states_.clear();
  last_starts_.clear();
  const auto width = static_cast<std::size_t>(network.architecture().state_size());
  std::size_t end = 0;  // of the rollout's samples
  for (Rollout* rollout : rollouts_) {
    const int last = rollout->steps();
    last_observations_.add(rollout->observations(last));
    end += static_cast<std::size_t>(rollout->samples());
    if (width == 0) continue;
    const auto envs = static_cast<std::size_t>(rollout->envs());
    append<float>(last_states_, std::span(states_).subspan((end - envs) * width, envs * width));
    append<std::uint8_t>(last_starts_, rollout->episode_starts(last));
  }
  Inputs inputs = last_observations_.inputs_of(network);
  inputs.state = last_states_;
  inputs.episode_starts = last_starts_;
  return inputs;
}

}  // namespace tandem
