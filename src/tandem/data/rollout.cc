#include "tandem/data/rollout.h"

#include <algorithm>
#include <stdexcept>

#include "tandem/base/error.h"

namespace tandem {
namespace {

constexpr auto kOtherShape = "the checkpoint has rollouts of another shape";

}  // namespace

Rollout::Rollout(const EnvSpec& spec, int t_max, int envs, std::int64_t state_size)
    : t_max_(t_max),
      steps_(t_max),
      envs_(envs),
      observation_bytes_(spec.observation_bytes()),
      dims_(spec.action_low.size()),
      state_size_(static_cast<std::size_t>(state_size)) {
  const auto samples = static_cast<std::size_t>(t_max) * envs;
  observations_.resize((samples + envs) * observation_bytes_);
  actions_.resize(samples + envs);
  controls_.resize((samples + envs) * dims_);
  log_probabilities_.resize(samples + envs);
  rewards_.resize(samples);
  discounts_.resize(samples);
  values_.resize(samples + envs);
  epsilons_.resize(samples);
  states_.resize((samples + envs) * state_size_);
  if (state_size_ > 0) episode_starts_.resize(samples + envs);
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

template <class T>
void Rollout::copy_columns(const std::vector<T>& source, const Rollout& from, int first, int count,
                           std::vector<T>& own, int to, std::size_t width) const {
  const std::size_t rows = own.size() / (std::max<std::size_t>(1, width) * envs_);
  for (std::size_t row = 0; row < rows; ++row) {
    std::copy_n(source.begin() + (row * from.envs_ + first) * width, count * width,
                own.begin() + (row * envs_ + to) * width);
  }
}

void Rollout::copy_envs(const Rollout& from, int first, int count, int to) {
  if (from.steps_ != steps_ || from.t_max_ != t_max_ || from.state_size_ != state_size_) {
    throw std::logic_error("environments of rollouts of other shapes cannot stand side by side");
  }
  const auto copy = [&](const auto& source, auto& own, std::size_t width) {
    copy_columns(source, from, first, count, own, to, width);
  };
  copy(from.observations_, observations_, observation_bytes_);
  copy(from.actions_, actions_, 1);
  copy(from.controls_, controls_, dims_);
  copy(from.log_probabilities_, log_probabilities_, 1);
  copy(from.rewards_, rewards_, 1);
  copy(from.discounts_, discounts_, 1);
  copy(from.values_, values_, 1);
  copy(from.epsilons_, epsilons_, 1);
  copy(from.states_, states_, state_size_);
  copy(from.episode_starts_, episode_starts_, 1);
}

void Rollout::copy_sequence(const Rollout& from, int from_env, int to) {
  copy_envs(from, from_env, 1, to);
  copy_columns(from.advantages_, from, from_env, 1, advantages_, to, 1);
  copy_columns(from.returns_, from, from_env, 1, returns_, to, 1);
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
  if (state_size_ == 0) return;
  writer.put_values(states_);
  writer.put_values(episode_starts_);
}

void Rollout::load(StateReader& reader) {
  const auto steps = reader.get<int>();
  if (steps < 0 || steps > t_max_) throw Error(kOtherShape);
  steps_ = steps;
  const auto get = [&](auto& buffer) {
    reader.get_into(std::as_writable_bytes(std::span(buffer)), kOtherShape);
  };
  get(observations_);
  get(actions_);
  get(controls_);
  get(log_probabilities_);
  get(rewards_);
  get(discounts_);
  get(values_);
  load_epsilons(reader);
  if (state_size_ == 0) return;
  get(states_);
  get(episode_starts_);
}

void Rollout::load_epsilons(StateReader& reader) {
  const auto saved = reader.get_values<float>();
  const auto row = static_cast<std::size_t>(envs_);
  if (saved.size() != epsilons_.size() && saved.size() != row) throw Error(kOtherShape);
  for (std::size_t i = 0; i < epsilons_.size(); ++i) epsilons_[i] = saved[i % saved.size()];
}

}  // namespace tandem
