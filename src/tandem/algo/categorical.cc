#include "tandem/algo/categorical.h"

#include <algorithm>
#include <cmath>

namespace tandem::categorical {

/// Inverts the cumulative distribution at a uniform draw. Passing twice over the logits instead of
/// keeping their exponentials needs no memory.
std::int32_t sample(std::span<const float> logits, Stream& stream) {
  const float largest = *std::ranges::max_element(logits);
  float total = 0;
  for (const float logit : logits) total += std::exp(logit - largest);
  const float target = stream.uniform() * total;
  float reached = 0;
  for (std::size_t action = 0; action + 1 < logits.size(); ++action) {
    reached += std::exp(logits[action] - largest);
    if (target < reached) return static_cast<std::int32_t>(action);
  }
  return static_cast<std::int32_t>(logits.size() - 1);
}

PolicyTerms differentiate(std::span<const float> logits, std::int32_t action, float advantage,
                          float beta, float scale, std::span<float> gradient) {
  // log softmax(logits). Subtracting the largest first keeps every exponential in [0, 1], and
  // subtracting it on its own keeps its rounding out of the result.
  const float largest = *std::ranges::max_element(logits);
  float total = 0;
  for (const float logit : logits) total += std::exp(logit - largest);
  const float log_total = std::log(total);
  const auto log_p = [&](std::size_t j) { return logits[j] - largest - log_total; };

  float entropy = 0;
  for (std::size_t j = 0; j < logits.size(); ++j) entropy -= std::exp(log_p(j)) * log_p(j);
  for (std::size_t j = 0; j < logits.size(); ++j) {
    // d(-log p_a)/dz_j = p_j - [j = a] and d(-H)/dz_j = p_j (log p_j + H).
    const float p = std::exp(log_p(j));
    const float taken = static_cast<std::int32_t>(j) == action ? 1.0f : 0.0f;
    gradient[j] = scale * (advantage * (p - taken) + beta * p * (log_p(j) + entropy));
  }
  return {log_p(static_cast<std::size_t>(action)), entropy};
}

}  // namespace tandem::categorical
