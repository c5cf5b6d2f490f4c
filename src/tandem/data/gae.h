// Advantages that trade bias for variance.
#pragma once

#include "tandem/data/rollout.h"

namespace tandem {

/// Generalised advantage estimation: Schulman et al. 2016, "High-dimensional continuous control
/// using generalized advantage estimation", equation 16. Of a rollout whose values are all filled,
/// by the policy that acted, writes A_t = sum over k of (discount lambda)^k delta_{t+k} into its
/// advantages and A_t + V(s_t) into its returns. lambda = 1: n-step returns. Pure.
void gae(Rollout& rollout, float lambda);

}  // namespace tandem
