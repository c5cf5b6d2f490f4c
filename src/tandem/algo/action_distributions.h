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

/// The policy's loss for one sample: scale * (-advantage * log(pi(a) + log_epsilon) - entropy *
/// H(pi)). log_epsilon applies to discrete actions only. Value type.
struct PolicyLoss {
  float advantage = 0;    // the action's value above the expected value
  float entropy = 0;      // weight of the entropy, beta
  float log_epsilon = 0;  // GA3C's constant, added to the probability inside the logarithm
  float scale = 1;        // weight of the whole loss
};

/// Discrete actions from softmax(outputs). Stateless. `i` is the sample, `outputs` its row of the
/// policy head.
struct DiscreteActions {
  /// Whether draw() fills Actions::continuous; if not, it fills Actions::discrete.
  static constexpr bool kContinuous = false;

  /// The entropy of differentiate() is that of one of so many dimensions.
  static float dimensions(std::span<const float>) { return 1; }

  /// Draws action i, and stores its log probability unless that span is empty.
  static void draw(std::span<const float> outputs, Stream& stream, const Actions& actions,
                   std::size_t i) {
    actions.discrete[i] = categorical::sample(outputs, stream);
    if (actions.log_probabilities.empty()) return;
    actions.log_probabilities[i] = categorical::log_probability(outputs, actions.discrete[i]);
  }

  /// log pi(a) of the action that the rollout's sample i took.
  static float log_probability(std::span<const float> outputs, const Rollout& rollout,
                               std::size_t i) {
    return categorical::log_probability(outputs, rollout.actions()[i]);
  }

  /// Returns the terms of sample i. Overwrites `gradient` with the gradient of `loss` with respect
  /// to `outputs`.
  static PolicyTerms differentiate(std::span<const float> outputs, const Rollout& rollout,
                                   std::size_t i, const PolicyLoss& loss,
                                   std::span<float> gradient) {
    return categorical::differentiate(outputs, rollout.actions()[i], loss.advantage, loss.entropy,
                                      loss.scale, loss.log_epsilon, gradient);
  }
};

/// Continuous actions from the normal distribution of gaussian.h. Otherwise as DiscreteActions.
struct ContinuousActions {
  /// As DiscreteActions::kContinuous.
  static constexpr bool kContinuous = true;

  /// As DiscreteActions::dimensions().
  static float dimensions(std::span<const float> outputs) {
    return static_cast<float>(outputs.size() - 1);
  }

  /// As DiscreteActions::draw().
  static void draw(std::span<const float> outputs, Stream& stream, const Actions& actions,
                   std::size_t i) {
    const auto dims = outputs.size() - 1;
    const auto action = actions.continuous.subspan(i * dims, dims);
    gaussian::sample(outputs, stream, action);
    if (actions.log_probabilities.empty()) return;
    actions.log_probabilities[i] = gaussian::log_probability(outputs, action);
  }

  /// As DiscreteActions::log_probability().
  static float log_probability(std::span<const float> outputs, const Rollout& rollout,
                               std::size_t i) {
    const auto dims = outputs.size() - 1;
    return gaussian::log_probability(outputs, rollout.controls().subspan(i * dims, dims));
  }

  /// As DiscreteActions::differentiate(), but ignores log_epsilon.
  static PolicyTerms differentiate(std::span<const float> outputs, const Rollout& rollout,
                                   std::size_t i, const PolicyLoss& loss,
                                   std::span<float> gradient) {
    const auto dims = outputs.size() - 1;
    return gaussian::differentiate(outputs, rollout.controls().subspan(i * dims, dims),
                                   loss.advantage, loss.entropy, loss.scale, gradient);
  }

  /// Chooses the mean, which has the highest density.
  static void act_greedily(const Heads& heads, const Actions& actions) {
    const auto width = static_cast<std::size_t>(heads.actions);
    for (std::size_t i = 0; i < actions.discrete.size(); ++i) {
      std::ranges::copy(heads.logits.subspan(i * width, width - 1),
                        actions.continuous.subspan(i * (width - 1), width - 1).begin());
    }
  }
};

}  // namespace tandem
