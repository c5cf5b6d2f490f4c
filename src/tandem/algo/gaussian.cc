#include "tandem/algo/gaussian.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tandem::gaussian {
namespace {

// log(1 + exp(x)), with an exponential that cannot overflow.
float softplus(float x) { return std::max(x, 0.0f) + std::log1p(std::exp(-std::abs(x))); }

float sigmoid(float x) {
  const float e = std::exp(-std::abs(x));
  return (x >= 0 ? 1.0f : e) / (1.0f + e);
}

/// log(2 pi sigma^2), for one dimension.
float log_spread(float variance) { return std::log(2.0f * std::numbers::pi_v<float> * variance); }

float log_density(float squares, float dims, float variance, float spread) {
  return -0.5f * (squares / variance + dims * spread);
}

}  // namespace

float variance(std::span<const float> outputs) { return softplus(outputs.back()) + kLeastVariance; }

void sample(std::span<const float> outputs, Stream& stream, std::span<float> action) {
  const float deviation = std::sqrt(variance(outputs));
  for (std::size_t j = 0; j < action.size(); ++j) {
    action[j] = outputs[j] + deviation * stream.normal();
  }
}

float log_probability(std::span<const float> outputs, std::span<const float> action) {
  float squares = 0;
  for (std::size_t j = 0; j < action.size(); ++j) {
    const float off = action[j] - outputs[j];
    squares += off * off;
  }
  const float sigma2 = variance(outputs);
  return log_density(squares, static_cast<float>(action.size()), sigma2, log_spread(sigma2));
}

PolicyTerms differentiate(std::span<const float> outputs, std::span<const float> action,
                          float advantage, float beta, float scale, std::span<float> gradient) {
  const auto dims = static_cast<float>(action.size());
  const float sigma2 = variance(outputs);
  const float spread = log_spread(sigma2);
  float squares = 0;
  for (std::size_t j = 0; j < action.size(); ++j) {
    const float off = action[j] - outputs[j];
    squares += off * off;
    gradient[j] = scale * -advantage * off / sigma2;
  }
  const float log_p_slope = (squares / sigma2 - dims) / (2.0f * sigma2);  // with respect to sigma^2
  const float entropy_slope = 1.0f / (2.0f * sigma2);
  gradient.back() =
      scale * -(advantage * log_p_slope + beta * entropy_slope) * sigmoid(outputs.back());
  return {.log_probability = log_density(squares, dims, sigma2, spread),
          .entropy = 0.5f * (spread + 1.0f)};
}

}  // namespace tandem::gaussian
