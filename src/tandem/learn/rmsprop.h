// The rule that every RMSProp here follows, for one parameter.
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

}  // namespace tandem
