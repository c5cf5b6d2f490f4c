#include "tandem/algo/categorical.h"

#include <algorithm>
#include <cmath>

namespace tandem::categorical {
namespace {

/// log softmax(logits), action by action. The largest logit is subtracted before any exponential,
/// so that all of them lie in [0, 1]. It is subtracted separately from the logarithm of their
/// total, because the rounded sum of the two would be less precise.
class LogSoftmax {
 public:
  explicit LogSoftmax(std::span<const float> logits)
      : logits_(logits), largest_(*std::ranges::max_element(logits)) {
    float total = 0;
    for (const float logit : logits) total += std::exp(logit - largest_);
    log_total_ = std::log(total);
  }

  float operator()(std::size_t action) const { return logits_[action] - largest_ - log_total_; }

 private:
  std::span<const float> logits_;
  float largest_;
  float log_total_ = 0;
};

}  // namespace

/// Inverts the cumulative distribution at a uniform draw. Computes the exponentials twice, and so
/// needs no memory for them.
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

float log_probability(std::span<const float> logits, std::int32_t action) {
  return LogSoftmax(logits)(static_cast<std::size_t>(action));
}

PolicyTerms differentiate(std::span<const float> logits, std::int32_t action, float advantage,
                          float beta, float scale, float epsilon, std::span<float> gradient) {
  const LogSoftmax log_p(logits);
  const auto log_raised = [&](std::size_t j) {
    return epsilon > 0 ? std::log(std::exp(log_p(j)) + epsilon) : log_p(j);
  };

  float mean_log = 0;
  float sum_log = 0;
  for (std::size_t j = 0; j < logits.size(); ++j) {
    mean_log += std::exp(log_p(j)) * log_raised(j);
    sum_log += log_raised(j);
  }
  // The factor p / (p + epsilon) is the derivative of log(p + epsilon) with respect to log p; it is
  // 1 without an epsilon.
  const auto a = static_cast<std::size_t>(action);
  const float p_action = std::exp(log_p(a));
  const float weight = epsilon > 0 ? advantage * (p_action / (p_action + epsilon)) : advantage;
  for (std::size_t j = 0; j < logits.size(); ++j) {
    // With l = log(p + epsilon): d(-l_a)/dz_j = p_a / (p_a + epsilon) (p_j - [j = a]), and
    // d(-H)/dz_j = p_j (l_j - sum_k p_k l_k).
    const float p = std::exp(log_p(j));
    const float taken = j == a ? 1.0f : 0.0f;
    gradient[j] = scale * (weight * (p - taken) + beta * p * (log_raised(j) - mean_log));
  }
  return {log_raised(a), -(mean_log + epsilon * sum_log)};
}

}  // namespace tandem::categorical
