#include "tandem/data/rollout.h"

#include <algorithm>
#include <stdexcept>

#include "tandem/base/error.h"

namespace tandem {

Rollout::Rollout(const EnvSpec& spec, int t_max, int envs)
    : t_max_(t_max),
      steps_(t_max),
      envs_(envs),
      observation_bytes_(spec.observation_bytes()),
      dims_(spec.action_low.size()) {
  const auto samples = static_cast<std::size_t>(t_max) * envs;
  observations_.resize((samples + envs) * observation_bytes_);
  actions_.resize(samples + envs);
  controls_.resize((samples + envs) * dims_);
  log_probabilities_.resize(samples + envs);
  rewards_.resize(samples);
  discounts_.resize(samples);
  values_.resize(samples + envs);
  epsilons_.resize(envs);
  advantages_.resize(samples);
  returns_.resize(samples);
}

std::span<std::byte> Rollout::observations(int t, int rows) {
  const auto row_bytes = envs_ * observation_bytes_;
  return std::span(observations_).subspan(t * row_bytes, rows * row_bytes);
}

void Rollout::carry_over() {
  std::ranges::copy(observations(steps_), observations(0).begin());
  std::ranges::copy(actions(steps_), actions(0).begin());
  steps_ = t_max_;
}

void Rollout::follow(Rollout& other) {
  steps_ = t_max_;
  std::ranges::copy(other.observations(other.steps_), observations(steps_).begin());
  std::ranges::copy(other.actions(other.steps_), actions(steps_).begin());
}

void Rollout::copy_envs(const Rollout& from, int first, int count, int to) {
  if (from.steps_ != steps_ || from.t_max_ != t_max_) {
    throw std::logic_error("environments of rollouts of other lengths cannot stand side by side");
  }
  const auto copy = [&](const auto& source, auto& own, std::size_t width) {
    const std::size_t rows = own.size() / (std::max<std::size_t>(1, width) * envs_);
    for (std::size_t row = 0; row < rows; ++row) {
      std::copy_n(source.begin() + (row * from.envs_ + first) * width, count * width,
                  own.begin() + (row * envs_ + to) * width);
    }
  };
  copy(from.observations_, observations_, observation_bytes_);
  copy(from.actions_, actions_, 1);
  copy(from.controls_, controls_, dims_);
  copy(from.log_probabilities_, log_probabilities_, 1);
  copy(from.rewards_, rewards_, 1);
  copy(from.discounts_, discounts_, 1);
  copy(from.values_, values_, 1);
  copy(from.epsilons_, epsilons_, 1);
}

void Rollout::copy_sample(const Rollout& from, std::int64_t sample, int to) {
  const auto copy = [&](const auto& source, auto& own, std::size_t width) {
    std::copy_n(source.begin() + sample * width, width, own.begin() + to * width);
  };
  copy(from.observations_, observations_, observation_bytes_);
  copy(from.actions_, actions_, 1);
  copy(from.controls_, controls_, dims_);
  copy(from.log_probabilities_, log_probabilities_, 1);
  copy(from.values_, values_, 1);
  copy(from.advantages_, advantages_, 1);
  copy(from.returns_, returns_, 1);
}

void Rollout::save(StateWriter& writer) const {
  writer.put(steps_);
  writer.put_values(observations_);
  writer.put_values(actions_);
  writer.put_values(controls_);
  writer.put_values(log_probabilities_);
  writer.put_values(rewards_);
  writer.put_values(discounts_);
  writer.put_values(values_);
  writer.put_values(epsilons_);
}

void Rollout::load(StateReader& reader) {
  steps_ = reader.get<int>();
  const auto get = [&](auto& buffer) {
    const auto own = std::as_writable_bytes(std::span(buffer));
    const auto saved = reader.get_bytes();
    if (saved.size() != own.size()) throw Error("the checkpoint has rollouts of another shape");
    std::ranges::copy(saved, own.begin());
  };
  get(observations_);
  get(actions_);
  get(controls_);
  get(log_probabilities_);
  get(rewards_);
  get(discounts_);
  get(values_);
  get(epsilons_);
}

}  // namespace tandem
