// Distributions over actions that a policy head describes, discrete and continuous.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "tandem/algo/categorical.h"
#include "tandem/algo/gaussian.h"
#include "tandem/data/rollout.h"
#include "tandem/nn/network.h"

namespace tandem {

/// The loss scale * (-advantage * log(pi(a) + log_epsilon) - entropy * H(pi)). log_epsilon is for
/// discrete actions alone. Value type.
struct PolicyLoss {
  float advantage = 0;
  float entropy = 0;
  float log_epsilon = 0;
  float scale = 1;
};

/// Discrete actions from softmax(outputs). Pure; `i` is the sample, `outputs` its row.
struct DiscreteActions {
  static constexpr bool kContinuous = false;

  static void draw(std::span<const float> outputs, Stream& stream, const Actions& actions,
                   std::size_t i) {
    actions.discrete[i] = categorical::sample(outputs, stream);
    if (actions.log_probabilities.empty()) return;
    actions.log_probabilities[i] = categorical::log_probability(outputs, actions.discrete[i]);
  }

  static float log_probability(std::span<const float> outputs, const Rollout& rollout,
                               std::size_t i) {
    return categorical::log_probability(outputs, rollout.actions()[i]);
  }

  static PolicyTerms differentiate(std::span<const float> outputs, const Rollout& rollout,
                                   std::size_t i, const PolicyLoss& loss,
                                   std::span<float> gradient) {
    return categorical::differentiate(outputs, rollout.actions()[i], loss.advantage, loss.entropy,
                                      loss.scale, loss.log_epsilon, gradient);
  }
};

/// Continuous actions from gaussian.h's normal distribution, with the same interface.
struct ContinuousActions {
  static constexpr bool kContinuous = true;

  static void draw(std::span<const float> outputs, Stream& stream, const Actions& actions,
                   std::size_t i) {
    const auto dims = outputs.size() - 1;
    const auto action = actions.continuous.subspan(i * dims, dims);
    gaussian::sample(outputs, stream, action);
    if (actions.log_probabilities.empty()) return;
    actions.log_probabilities[i] = gaussian::log_probability(outputs, action);
  }

  static float log_probability(std::span<const float> outputs, const Rollout& rollout,
                               std::size_t i) {
    const auto dims = outputs.size() - 1;
    return gaussian::log_probability(outputs, rollout.controls().subspan(i * dims, dims));
  }

  static PolicyTerms differentiate(std::span<const float> outputs, const Rollout& rollout,
                                   std::size_t i, const PolicyLoss& loss,
                                   std::span<float> gradient) {
    const auto dims = outputs.size() - 1;
    return gaussian::differentiate(outputs, rollout.controls().subspan(i * dims, dims),
                                   loss.advantage, loss.entropy, loss.scale, gradient);
  }

  /// The mean is where the density is highest.
  static void act_greedily(const Heads& heads, const Actions& actions) {
    const auto width = static_cast<std::size_t>(heads.actions);
    for (std::size_t i = 0; i < actions.discrete.size(); ++i) {
      std::ranges::copy(heads.logits.subspan(i * width, width - 1),
                        actions.continuous.subspan(i * (width - 1), width - 1).begin());
    }
  }
};

}  // namespace tandem
