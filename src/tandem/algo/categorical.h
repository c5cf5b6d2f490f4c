// A distribution over discrete actions, and the terms of the policy's loss for it.
#pragma once

#include <cstdint>
#include <span>

#include "tandem/algo/policy_terms.h"
#include "tandem/base/random.h"

/// The distribution softmax(logits) over discrete actions. Stateless; safe to use from many
/// threads.
namespace tandem::categorical {

/// Draws an action.
std::int32_t sample(std::span<const float> logits, Stream& stream);

/// log p(action).
float log_probability(std::span<const float> logits, std::int32_t action);

/// Returns log(p(action) + epsilon) and the entropy in nats. Writes the gradient of scale *
/// (-advantage * log(p(action) + epsilon) - beta * entropy) with respect to the logits. The entropy
/// is -sum (p + epsilon) log(p + epsilon), as in GA3C's equation 5; in other papers epsilon is 0.
PolicyTerms differentiate(std::span<const float> logits, std::int32_t action, float advantage,
                          float beta, float scale, float epsilon, std::span<float> gradient);

}  // namespace tandem::categorical
