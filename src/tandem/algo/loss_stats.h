// The measurements of a loss, and their names in logs.
#pragma once

#include <array>
#include <span>

namespace tandem {

/// Sums over a batch; each, divided by `samples`, is a mean. The sum of two LossStats describes
/// both batches. Each algorithm fills some of the sums (see Metric). Value type.
struct LossStats {
  double policy_loss = 0;  // the loss that the policy head minimises, without the entropy term
  double value_loss = 0;   // squared error of the value head or of Q(s, a)
  double entropy = 0;      // of the policy, in nats
  double q = 0;            // Q(s, a) of the actions that were taken
  double epsilon = 0;      // the probability of a random action
  double clipped = 0;      // samples whose policy loss PPO clipped, so that it gave no gradient
  double divergence = 0;   // estimate of KL(pi_old || pi), with pi_old the policy that acted
  double samples = 0;      // the number of samples in the sums

  /// Adds the sums of another batch.
  LossStats& operator+=(const LossStats& other);
};

/// One of the sums, with its key in logs and its name in words. Value type.
struct Metric {
  const char* key;         // in metrics.jsonl: "loss/policy"
  const char* name;        // in words: "policy loss"
  double LossStats::*sum;  // the sum of this metric

  /// The mean over the samples of `stats`; 0 if there are none.
  [[nodiscard]] double mean(const LossStats& stats) const;
};

/// The sums that an algorithm fills. The progress line shows the last one, which measures the
/// policy's randomness if that changes.
using Metrics = std::span<const Metric>;

/// The metrics of actor-critics that learn once from each sample.
inline constexpr std::array kActorCriticMetrics = {
    Metric{"loss/policy", "policy loss", &LossStats::policy_loss},
    Metric{"loss/value", "value loss", &LossStats::value_loss},
    Metric{"policy/entropy", "entropy", &LossStats::entropy},
};

/// The metrics of PPO.
inline constexpr std::array kPpoMetrics = {
    Metric{"loss/policy", "policy loss", &LossStats::policy_loss},
    Metric{"loss/value", "value loss", &LossStats::value_loss},
    Metric{"policy/clipped", "clipped share", &LossStats::clipped},
    Metric{"policy/divergence", "divergence", &LossStats::divergence},
    Metric{"policy/entropy", "entropy", &LossStats::entropy},
};

/// The metrics of value-based methods whose epsilon changes.
inline constexpr std::array kValueMethodMetrics = {
    Metric{"loss/value", "value loss", &LossStats::value_loss},
    Metric{"policy/q", "action value", &LossStats::q},
    Metric{"policy/epsilon", "epsilon", &LossStats::epsilon},
};

/// The metrics of value-based methods whose actors have constant epsilons.
inline constexpr std::array kReplayedValueMetrics = {
    Metric{"loss/value", "value loss", &LossStats::value_loss},
    Metric{"policy/q", "action value", &LossStats::q},
};

/// The metrics of deterministic policies, whose noise the config sets.
inline constexpr std::array kDeterministicPolicyMetrics = {
    Metric{"loss/policy", "policy loss", &LossStats::policy_loss},
    Metric{"loss/value", "value loss", &LossStats::value_loss},
    Metric{"policy/q", "action value", &LossStats::q},
};

}  // namespace tandem
