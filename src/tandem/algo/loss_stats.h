// The measurements of a loss, and their names in logs.
#pragma once

#include <array>
#include <span>

namespace tandem {

/// Sums over a batch; divided by `samples` they are means. The sum of two LossStats describes both
/// batches. Each algorithm fills some of the sums (see Metric). Value type.
struct LossStats {
  double policy_loss = 0;  // the loss that the policy head minimises, without the entropy term
  double value_loss = 0;   // squared error of the value head or of Q(s, a)
  double entropy = 0;      // of the policy, nats
  double q = 0;            // Q(s, a) of the actions that were taken
  double epsilon = 0;      // the chance with which actions were drawn blindly
  double clipped = 0;      // samples whose policy was not moved any further
  double divergence = 0;   // KL, about, of the policy from the one that acted
  double samples = 0;      // that the sums are over

  /// Adds those of another batch.
  LossStats& operator+=(const LossStats& other);
};

/// One of the sums, with its key in metrics and its name in words. Value type.
struct Metric {
  const char* key;         // in metrics.jsonl: "loss/policy"
  const char* name;        // in words: "policy loss"
  double LossStats::*sum;  // the sum of this metric

  /// The mean over the samples of `stats`; 0 if there are none.
  [[nodiscard]] double mean(const LossStats& stats) const;
};

/// The sums that an algorithm fills. The last one says how random its policy is, if that changes;
/// the progress line shows it.
using Metrics = std::span<const Metric>;

/// Of actor-critics that learn once from each sample.
inline constexpr std::array kActorCriticMetrics = {
    Metric{"loss/policy", "policy loss", &LossStats::policy_loss},
    Metric{"loss/value", "value loss", &LossStats::value_loss},
    Metric{"policy/entropy", "entropy", &LossStats::entropy},
};

/// Of PPO.
inline constexpr std::array kPpoMetrics = {
    Metric{"loss/policy", "policy loss", &LossStats::policy_loss},
    Metric{"loss/value", "value loss", &LossStats::value_loss},
    Metric{"policy/clipped", "clipped share", &LossStats::clipped},
    Metric{"policy/divergence", "divergence", &LossStats::divergence},
    Metric{"policy/entropy", "entropy", &LossStats::entropy},
};

/// Of value-based methods whose epsilon changes.
inline constexpr std::array kValueMethodMetrics = {
    Metric{"loss/value", "value loss", &LossStats::value_loss},
    Metric{"policy/q", "action value", &LossStats::q},
    Metric{"policy/epsilon", "epsilon", &LossStats::epsilon},
};

/// For value-based methods whose actors have constant epsilons.
inline constexpr std::array kReplayedValueMetrics = {
    Metric{"loss/value", "value loss", &LossStats::value_loss},
    Metric{"policy/q", "action value", &LossStats::q},
};

/// For a policy whose randomness the config sets.
inline constexpr std::array kDeterministicPolicyMetrics = {
    Metric{"loss/policy", "policy loss", &LossStats::policy_loss},
    Metric{"loss/value", "value loss", &LossStats::value_loss},
    Metric{"policy/q", "action value", &LossStats::q},
};

}  // namespace tandem
