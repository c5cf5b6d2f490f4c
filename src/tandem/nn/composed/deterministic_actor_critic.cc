#include "tandem/nn/composed/deterministic_actor_critic.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "tandem/nn/kernels/tanh.h"

namespace tandem {

DeterministicActorCritic::DeterministicActorCritic(const Architecture& architecture,
                                                   std::span<const float> parameters)
    : scale_(architecture.action_low, architecture.action_high),
      policy_size_(static_cast<std::size_t>(architecture.policy_part().parameter_count())),
      critic_size_(static_cast<std::size_t>(architecture.value_part().parameter_count())),
      policy_(architecture.policy_part(), parameters.first(policy_size_)),
      critic_(architecture.value_part(), parameters.subspan(policy_size_, critic_size_)) {
  if (architecture.normalises_inputs) normaliser_.emplace(architecture, parameters);
  if (architecture.deterministic() && architecture.input_dtype == DType::f32) return;
  throw std::logic_error("DeterministicActorCritic: the architecture is another");
}

void DeterministicActorCritic::act(std::span<const std::byte> observations,
                                   std::span<float> actions) {
  policy_.forward(numbers(observations), actions);
  tanh_forward(actions.size(), actions.data(), actions.data());
  for (std::size_t at = 0; at < actions.size(); at += action_dims()) {
    scale_.to_environment(actions.subspan(at, action_dims()));
  }
}

void DeterministicActorCritic::judge(std::span<const std::byte> observations,
                                     std::span<const float> actions, std::span<float> q) {
  critic_.forward(critic_inputs(observations, actions), q);
}

void DeterministicActorCritic::record_judgement(std::span<const std::byte> observations,
                                                std::span<const float> actions,
                                                std::span<float> q) {
  critic_.record(critic_inputs(observations, actions), q);
}

void DeterministicActorCritic::critic_backward(std::span<const float> d_q,
                                               std::span<float> gradient) {
  critic_.backward(d_q, gradient.subspan(policy_size_, critic_size_));
  std::ranges::fill(gradient.subspan(policy_size_ + critic_size_), 0.0F);
}

void DeterministicActorCritic::differentiate_by_action(std::span<const std::byte> observations,
                                                       std::span<float> scaled, std::span<float> q,
                                                       std::span<float> dq_da) {
  const auto x = numbers(observations);
  policy_.record(x, scaled);
  tanh_forward(scaled.size(), scaled.data(), scaled.data());
  const auto inputs = joined(x, scaled);
  critic_.record(inputs, q);
  ones_.assign(q.size(), 1.0F);
  d_joined_.resize(inputs.size());
  critic_.backward(ones_, {}, d_joined_);
  const auto width = inputs.size() / q.size();
  for (std::size_t i = 0; i < q.size(); ++i) {
    std::ranges::copy(std::span(d_joined_).subspan(i * width, width).last(action_dims()),
                      dq_da.subspan(i * action_dims(), action_dims()).begin());
  }
}

void DeterministicActorCritic::policy_backward(std::span<const float> d_outputs,
                                               std::span<float> gradient) {
  policy_.backward(d_outputs, gradient.first(policy_size_));
}

/// Copies the bytes to floats, because a buffer of bytes need not be aligned for them.
std::span<const float> DeterministicActorCritic::numbers(std::span<const std::byte> observations) {
  observations_.resize(observations.size() / sizeof(float));
  if (normaliser_) {
    normaliser_->write(observations, observations_);
    return observations_;
  }
  std::memcpy(observations_.data(), observations.data(), observations_.size() * sizeof(float));
  return observations_;
}

std::span<const float> DeterministicActorCritic::joined(std::span<const float> observations,
                                                        std::span<const float> scaled) {
  const auto dims = action_dims();
  const auto samples = scaled.size() / dims;
  if (samples == 0 || observations.size() % samples != 0 || scaled.size() % dims != 0) {
    throw std::logic_error("DeterministicActorCritic: not as many actions as observations");
  }
  const auto width = observations.size() / samples;
  joined_.resize(observations.size() + scaled.size());
  auto to = joined_.begin();
  for (std::size_t i = 0; i < samples; ++i) {
    to = std::ranges::copy(observations.subspan(i * width, width), to).out;
    to = std::ranges::copy(scaled.subspan(i * dims, dims), to).out;
  }
  return joined_;
}

std::span<const float> DeterministicActorCritic::critic_inputs(
    std::span<const std::byte> observations, std::span<const float> actions) {
  const auto dims = action_dims();
  scaled_.resize(actions.size());
  for (std::size_t at = 0; at + dims <= actions.size(); at += dims) {
    scale_.from_environment(actions.subspan(at, dims), std::span(scaled_).subspan(at, dims));
  }
  return joined(numbers(observations), scaled_);
}

}  // namespace tandem
