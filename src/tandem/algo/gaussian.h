// A spherical normal distribution over continuous actions.
#pragma once

#include <span>

#include "tandem/algo/policy_terms.h"
#include "tandem/base/random.h"

/// The normal distribution of A3C, section 5.2.3. Of d + 1 outputs the first d are the mean, and
/// softplus of the last one is the variance of every dimension; kLeastVariance is added to it, so
/// that a nearly deterministic policy does not divide by zero; the paper has no such term. The
/// entropy is that of one dimension, (log(2 pi sigma^2) + 1) / 2, as in the paper. Stateless; safe
/// to use from many threads.
namespace tandem::gaussian {

/// Added to the softplus of the last output.
inline constexpr float kLeastVariance = 1e-4f;

/// The variance of every dimension.
float variance(std::span<const float> outputs);

/// Draws an action of d dimensions, which may exceed the environment's bounds.
void sample(std::span<const float> outputs, Stream& stream, std::span<float> action);

/// log p(action).
float log_probability(std::span<const float> outputs, std::span<const float> action);

/// Returns log p(action) and the entropy. Writes the gradient of scale * (-advantage * log
/// p(action) - beta * entropy) with respect to the outputs.
PolicyTerms differentiate(std::span<const float> outputs, std::span<const float> action,
                          float advantage, float beta, float scale, std::span<float> gradient);

}  // namespace tandem::gaussian
