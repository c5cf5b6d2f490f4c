// Returns for experience that an older policy collected.
#pragma once

#include <span>

#include "tandem/data/rollout.h"

namespace tandem {

/// The limits to which V-trace clips importance weights. Value type.
struct VtraceLimits {
  float rho = 1;  // for a step's own TD error; determines the policy whose values are learned
  float c = 1;    // for errors passed back to earlier steps; determines the speed of learning
};

/// One target for each of T * B samples, time-major; views of the caller's memory.
struct VtraceTargets {
  std::span<float> values;      // v_s
  std::span<float> advantages;  // rho_s (r_s + discount_s v_{s+1} - V(x_s))
};

/// V-trace: Espeholt et al. 2018, "IMPALA: Scalable distributed deep-RL with importance weighted
/// actor-learner architectures", equation 1 and section 4.2. `values` are V(x_s) of the parameters
/// that learn; V(x_T) is in the rollout's last row of values. `log_ratios` are log pi(a_s | x_s) of
/// the policy that learns, minus log mu(a_s | x_s) of the one that acted. Both are [T * B],
/// time-major. With ratios of 1, and limits of at least 1, the targets are n-step returns. Changes
/// nothing but `out`.
void vtrace(const Rollout& rollout, std::span<const float> values,
            std::span<const float> log_ratios, const VtraceLimits& limits,
            const VtraceTargets& out);

}  // namespace tandem
