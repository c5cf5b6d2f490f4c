#include "tandem/algo/a2c.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tandem {
namespace {

/// Inverts the cumulative distribution of softmax(logits) at u in [0, 1). Passing twice over the
/// logits instead of keeping their exponentials needs no memory.
std::int32_t sample(std::span<const float> logits, float u) {
  const float largest = *std::ranges::max_element(logits);
  float total = 0;
  for (const float logit : logits) total += std::exp(logit - largest);
  const float target = u * total;
  float reached = 0;
  for (std::size_t action = 0; action + 1 < logits.size(); ++action) {
    reached += std::exp(logits[action] - largest);
    if (target < reached) return static_cast<std::int32_t>(action);
  }
  return static_cast<std::int32_t>(logits.size() - 1);
}

/// Writes log softmax(logits). Subtracting the largest first keeps every exponential in [0, 1], and
/// subtracting it on its own keeps its rounding out of the result.
void log_softmax(std::span<const float> logits, std::span<float> log_probabilities) {
  const float largest = *std::ranges::max_element(logits);
  float total = 0;
  for (const float logit : logits) total += std::exp(logit - largest);
  const float log_total = std::log(total);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    log_probabilities[i] = logits[i] - largest - log_total;
  }
}

class A2c final : public Algorithm {
 public:
  explicit A2c(const A2cConfig& config) : config_(config) {}

  void act(const Heads& heads, std::span<Stream* const> streams,
           std::span<const float> /*epsilons*/, std::span<std::int32_t> actions) const override {
    const std::size_t width = heads.actions;
    for (std::size_t i = 0; i < actions.size(); ++i) {
      actions[i] = sample(heads.logits.subspan(i * width, width), streams[i]->uniform());
    }
  }

  void values(const Heads& heads, std::span<const std::int32_t> /*actions*/,
              std::span<float> values) const override {
    std::ranges::copy(heads.value, values.begin());
  }

  LossStats loss(const Heads& heads, const Rollout& rollout, double weight,
                 const Heads& gradient) const override {
    const std::size_t width = heads.actions;
    const auto actions = rollout.actions();
    std::vector<float> returns(actions.size());
    n_step_returns(rollout, returns);
    std::vector<float> log_p(width);

    const auto scale = static_cast<float>(weight * config_.loss_scale);
    const auto beta = static_cast<float>(config_.entropy);
    const auto value_factor = static_cast<float>(config_.value_loss);
    LossStats stats;
    for (std::size_t i = 0; i < actions.size(); ++i) {
      log_softmax(heads.logits.subspan(i * width, width), log_p);
      float entropy = 0;
      for (const float log_pj : log_p) entropy -= std::exp(log_pj) * log_pj;

      const float advantage = returns[i] - heads.value[i];
      const auto logit_gradient = gradient.logits.subspan(i * width, width);
      for (std::size_t j = 0; j < width; ++j) {
        // d(-log p_a)/dz_j = p_j - [j = a] and d(-H)/dz_j = p_j (log p_j + H).
        const float p = std::exp(log_p[j]);
        const float taken = static_cast<std::int32_t>(j) == actions[i] ? 1.0f : 0.0f;
        logit_gradient[j] = scale * (advantage * (p - taken) + beta * p * (log_p[j] + entropy));
      }
      gradient.value[i] = scale * value_factor * -2.0f * advantage;

      stats.policy_loss -= advantage * log_p[actions[i]];
      stats.value_loss += advantage * advantage;
      stats.entropy += entropy;
    }
    stats.samples = static_cast<double>(actions.size());
    return stats;
  }

  [[nodiscard]] float reward(float raw) const override {
    const auto limit = static_cast<float>(config_.reward_clip);
    return limit > 0 ? std::clamp(raw, -limit, limit) : raw;
  }

  [[nodiscard]] double gamma() const override { return config_.gamma; }

 private:
  A2cConfig config_;
};

}  // namespace

FieldList A2cConfig::fields() {
  return {
      {.key = "gamma",
       .target = &gamma,
       .meaning = "discount of one step",
       .source = "PAAC, section 5.1",
       .least = 0,
       .most = 1},
      {.key = "entropy",
       .target = &entropy,
       .meaning = "factor of the policy's entropy (beta)",
       .source = "PAAC, section 5.1",
       .least = 0},
      {.key = "value_loss",
       .target = &value_loss,
       .meaning =
           "factor of the value's squared error; 1 in the equation, 0.25 in the reference code",
       .source = "PAAC, equation 11, has 1",
       .least = 0},
      {.key = "loss_scale",
       .target = &loss_scale,
       .meaning = "factor of the whole loss; 1 in the equations, 5 in the reference code",
       .source = "PAAC, equations 10 and 11, have 1",
       .least = 0},
      {.key = "reward_clip",
       .target = &reward_clip,
       .meaning = "rewards are clipped to +- this before learning; 0: not clipped",
       .source = "Mnih et al. 2015, Methods",
       .least = 0},
  };
}

std::unique_ptr<Algorithm> make_a2c(const A2cConfig& config) {
  return std::make_unique<A2c>(config);
}

}  // namespace tandem
