// The rules of A3C's section 4.5 for one parameter, the same for PAAC's learner and for threads
// without locks.
#pragma once

#include <cmath>

namespace tandem {

/// The mean square after a gradient, and what the parameter loses.
struct RmsPropStep {
  float square;
  float step;
};

/// Tieleman and Hinton's RMSProp without centring or momentum: A3C's equations 8 and 9 with
/// epsilon inside the square root, PyTorch's with it outside.
template <bool kInside>
RmsPropStep rmsprop_step(float square, float gradient, float decay, float epsilon, float lr) {
  const float mean = decay * square + (1.0f - decay) * gradient * gradient;
  const float root = kInside ? std::sqrt(mean + epsilon) : std::sqrt(mean) + epsilon;
  return {mean, lr * gradient / root};
}

/// The mean of the gradients after another one, and what the parameter loses.
struct MomentumStep {
  float mean;
  float step;
};

/// A3C's momentum SGD: m = alpha m + (1 - alpha) d, theta -= eta m. An alpha of 0 is plain gradient
/// descent. PyTorch's has no factor 1 - alpha (its dampening is alpha, from the second step on).
inline MomentumStep momentum_step(float mean, float gradient, float alpha, float lr) {
  const float next = alpha * mean + (1.0f - alpha) * gradient;
  return {next, lr * next};
}

}  // namespace tandem
