// Advantages that trade bias for variance.
#pragma once

#include "tandem/data/rollout.h"

namespace tandem {

/// Generalised advantage estimation: Schulman et al. 2016, "High-dimensional continuous control
/// using generalized advantage estimation", equation 16. All rows of the rollout's values must be
/// computed with the parameters that acted. Writes A_t = sum over k of (discount lambda)^k
/// delta_{t+k} into the rollout's advantages and A_t + V(s_t) into its returns. With lambda = 1
/// these are n-step returns. Changes nothing but the rollout.
void gae(Rollout& rollout, float lambda);

}  // namespace tandem
