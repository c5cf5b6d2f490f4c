// The update rules of A3C's section 4.5 for one parameter. Optimizers and the updates without locks
// (racy.h) share them.
#pragma once

#include <cmath>

namespace tandem {

/// `mean`, or 0 where it has all but vanished. A unit that fell silent has no gradient any more, so
/// its means decay into the denormal floats. Rounding keeps them there for good, and CPUs compute
/// with denormal floats many times slower.
inline float without_denormals(float mean) {
  constexpr float kVanished = 1e-37f;  // the least normal float is 1.2e-38
  return std::abs(mean) < kVanished ? 0.0f : mean;
}

/// The mean square after a new gradient, and the amount to subtract from the parameter.
struct RmsPropStep {
  float square;
  float step;
};

/// Tieleman and Hinton's RMSProp without centring or momentum. With epsilon inside the square
/// root it follows A3C's equations 8 and 9, with epsilon outside it follows PyTorch.
template <bool kInside>
RmsPropStep rmsprop_step(float square, float gradient, float decay, float epsilon, float lr) {
  const float mean = without_denormals(decay * square + (1.0f - decay) * gradient * gradient);
  const float root = kInside ? std::sqrt(mean + epsilon) : std::sqrt(mean) + epsilon;
  return {mean, lr * gradient / root};
}

/// The mean gradient after a new gradient, and the amount to subtract from the parameter.
struct MomentumStep {
  float mean;
  float step;
};

/// A3C's momentum SGD: m = alpha m + (1 - alpha) d, theta -= eta m. With alpha = 0 it is plain
/// gradient descent. PyTorch applies the factor 1 - alpha only if its dampening is alpha, and then
/// only from the second step on.
inline MomentumStep momentum_step(float mean, float gradient, float alpha, float lr) {
  const float next = without_denormals(alpha * mean + (1.0f - alpha) * gradient);
  return {next, lr * next};
}

}  // namespace tandem
