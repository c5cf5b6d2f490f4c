#include "tandem/learn/optimizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "tandem/base/error.h"
#include "tandem/base/linear.h"
#include "tandem/base/random.h"
#include "tandem/base/streams.h"
#include "tandem/base/vectorise.h"
#include "tandem/learn/optimizer_rules.h"

namespace tandem {
namespace {

/// RMSProp with the rule rmsprop_step().
class RmsProp final : public Optimizer {
 public:
  RmsProp(const OptimizerConfig& config, std::int64_t parameters)
      : decay_(static_cast<float>(config.decay)),
        epsilon_(static_cast<float>(config.epsilon)),
        inside_(config.epsilon_inside),
        square_(parameters, static_cast<float>(config.initial_square)) {}

  void step(std::size_t first, std::span<float> parameters, std::span<const float> gradient,
            float gradient_scale, float lr) override {
    inside_ ? update<true>(first, parameters, gradient, gradient_scale, lr)
            : update<false>(first, parameters, gradient, gradient_scale, lr);
  }

  std::vector<Slot> slots() override { return {{"square", square_}}; }

 private:
  template <bool kInside>
  void update(std::size_t first, std::span<float> parameters, std::span<const float> gradient,
              float scale, float lr) {
    const float decay = decay_;
    const float epsilon = epsilon_;
    float* __restrict p = parameters.data();
    const float* __restrict g = gradient.data();
    float* __restrict s = square_.data() + first;
    vectorise([=, n = parameters.size()] {
      for (std::size_t i = 0; i < n; ++i) {
        const auto [square, step] = rmsprop_step<kInside>(s[i], scale * g[i], decay, epsilon, lr);
        s[i] = square;
        p[i] -= step;
      }
    });
  }

  float decay_;
  float epsilon_;
  bool inside_;
  std::vector<float> square_;
};

/// RMSProp that divides by the standard deviation of the gradients: Graves 2013, equations 38 to 40
/// without the momentum. Ape-X calls it "Centered RMSProp" (appendix C).
class CenteredRmsProp final : public Optimizer {
 public:
  CenteredRmsProp(const OptimizerConfig& config, std::int64_t parameters)
      : decay_(static_cast<float>(config.decay)),
        epsilon_(static_cast<float>(config.epsilon)),
        inside_(config.epsilon_inside),
        square_(parameters, static_cast<float>(config.initial_square)),
        mean_(parameters, 0.0f) {}

  void step(std::size_t first, std::span<float> parameters, std::span<const float> gradient,
            float gradient_scale, float lr) override {
    const float decay = decay_;
    const float within = inside_ ? epsilon_ : 0.0f;
    const float without = inside_ ? 0.0f : epsilon_;
    float* __restrict p = parameters.data();
    const float* __restrict g = gradient.data();
    float* __restrict s = square_.data() + first;
    float* __restrict m = mean_.data() + first;
    vectorise([=, n = parameters.size()] {
      for (std::size_t i = 0; i < n; ++i) {
        const float scaled = gradient_scale * g[i];
        s[i] = without_denormals(decay * s[i] + (1.0f - decay) * scaled * scaled);
        m[i] = without_denormals(decay * m[i] + (1.0f - decay) * scaled);
        // Rounding may make the difference negative.
        const float variance = std::max(0.0f, s[i] - m[i] * m[i]);
        p[i] -= lr * scaled / (std::sqrt(variance + within) + without);
      }
    });
  }

  std::vector<Slot> slots() override { return {{"square", square_}, {"mean", mean_}}; }

 private:
  float decay_;
  float epsilon_;
  bool inside_;
  std::vector<float> square_;
  std::vector<float> mean_;
};

/// Momentum SGD with the rule momentum_step().
class Momentum final : public Optimizer {
 public:
  Momentum(const OptimizerConfig& config, std::int64_t parameters)
      : alpha_(static_cast<float>(config.momentum)), mean_(parameters, 0.0f) {}

  void step(std::size_t first, std::span<float> parameters, std::span<const float> gradient,
            float gradient_scale, float lr) override {
    const float alpha = alpha_;
    float* __restrict p = parameters.data();
    const float* __restrict g = gradient.data();
    float* __restrict m = mean_.data() + first;
    vectorise([=, n = parameters.size()] {
      for (std::size_t i = 0; i < n; ++i) {
        const auto [mean, step] = momentum_step(m[i], gradient_scale * g[i], alpha, lr);
        m[i] = mean;
        p[i] -= step;
      }
    });
  }

  std::vector<Slot> slots() override { return {{"mean", mean_}}; }

 private:
  float alpha_;
  std::vector<float> mean_;
};

/// Kingma and Ba, 2015, Algorithm 1, with bias correction.
class Adam final : public Optimizer {
 public:
  Adam(const OptimizerConfig& config, std::int64_t parameters)
      : beta1_(config.beta1),
        beta2_(config.beta2),
        epsilon_(static_cast<float>(config.epsilon)),
        mean_(parameters, 0.0f),
        square_(parameters, 0.0f) {}

  // A float counts exactly up to 2^24, where it stops growing. Long before that, both bias
  // corrections have become 1.
  void begin() override { count_[0] += 1.0f; }

  void step(std::size_t first, std::span<float> parameters, std::span<const float> gradient,
            float gradient_scale, float lr) override {
    const auto rate = static_cast<float>(lr / (1.0 - std::pow(beta1_, count_[0])));
    const auto correction = static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(beta2_, count_[0])));
    const auto beta1 = static_cast<float>(beta1_);
    const auto beta2 = static_cast<float>(beta2_);
    const float epsilon = epsilon_;
    float* __restrict p = parameters.data();
    const float* __restrict g = gradient.data();
    float* __restrict m = mean_.data() + first;
    float* __restrict s = square_.data() + first;
    vectorise([=, n = parameters.size()] {
      for (std::size_t i = 0; i < n; ++i) {
        const float scaled = gradient_scale * g[i];
        m[i] = without_denormals(beta1 * m[i] + (1.0f - beta1) * scaled);
        s[i] = without_denormals(beta2 * s[i] + (1.0f - beta2) * scaled * scaled);
        p[i] -= rate * m[i] / (std::sqrt(s[i]) * correction + epsilon);
      }
    });
  }

  std::vector<Slot> slots() override {
    return {{"mean", mean_}, {"square", square_}, {"count", count_}};
  }

 private:
  double beta1_;
  double beta2_;
  float epsilon_;
  std::vector<float> mean_;
  std::vector<float> square_;
  std::array<float, 1> count_{};
};

}  // namespace

FieldList OptimizerConfig::fields() {
  constexpr double kMostDecay = 0.999999;  // with 1, Adam divides by 0 and momentum never moves
  constexpr double kLeastEpsilon = 1e-20;  // with 0, a parameter without a gradient becomes 0 / 0
  return {
      {.key = "kind",
       .target = &kind,
       .meaning = "update rule",
       .source = "PAAC, section 5.1",
       .choices = {"rmsprop", "centered_rmsprop", "momentum", "adam"}},
      {.key = "lr",
       .target = &lr,
       .meaning = "learning rate at the start; with lr_choice = log_uniform the one drawn",
       .source = "PAAC, section 5.2, has 0.0007 n_e",
       .least = 0},
      {.key = "lr_choice",
       .target = &lr_choice,
       .meaning =
           "where the learning rate comes from: lr itself, or log_uniform, which draws it by "
           "run.seed between lr_low and lr_high and leaves it in lr",
       .source = "A3C, section 5.1",
       .choices = {"lr", "log_uniform"}},
      {.key = "lr_low",
       .target = &lr_low,
       .meaning = "log_uniform: least learning rate",
       .source = "A3C, section 5.1",
       .least = 0},
      {.key = "lr_high",
       .target = &lr_high,
       .meaning = "log_uniform: largest learning rate",
       .source = "A3C, section 5.1",
       .least = 0},
      {.key = "lr_end",
       .target = &lr_end,
       .meaning = "learning rate at anneal_steps and after",
       .source = "A3C, section 5.1, has 0",
       .least = 0},
      {.key = "anneal_steps",
       .target = &anneal_steps,
       .meaning = "steps over which lr goes linearly to lr_end; 0: lr is constant; -1: as many as "
                  "run.steps",
       .source = "A3C, section 5.1, anneals over the run",
       .least = -1},
      {.key = "decay",
       .target = &decay,
       .meaning = "rmsprop: decay of the mean square, and of the mean that centered_rmsprop leaves "
                  "out of it",
       .source = "PAAC, section 5.1",
       .least = 0,
       .most = 1},
      {.key = "epsilon",
       .target = &epsilon,
       .meaning = "rmsprop and adam: keeps the divisor from zero",
       .source = "PAAC, section 5.1, has 0.1",
       .least = kLeastEpsilon},
      {.key = "epsilon_inside",
       .target = &epsilon_inside,
       .meaning = "rmsprop: sqrt(square + epsilon), else sqrt(square) + epsilon",
       .source = "A3C, equation 9, has it inside"},
      {.key = "initial_square",
       .target = &initial_square,
       .meaning = "rmsprop: mean square at the start; 1 in TensorFlow 1",
       .source = "not in the papers",
       .least = 0},
      {.key = "momentum",
       .target = &momentum,
       .meaning = "momentum: decay of the mean gradient (alpha); 0: plain gradient descent",
       .source = "A3C, section 4.5, gives no number",
       .least = 0,
       .most = kMostDecay},
      {.key = "beta1",
       .target = &beta1,
       .meaning = "adam: decay of the mean",
       .source = "Kingma and Ba 2015, algorithm 1",
       .least = 0,
       .most = kMostDecay},
      {.key = "beta2",
       .target = &beta2,
       .meaning = "adam: decay of the mean square",
       .source = "Kingma and Ba 2015, algorithm 1",
       .least = 0,
       .most = kMostDecay},
      {.key = "clip_norm",
       .target = &clip_norm,
       .meaning = "largest norm of the whole gradient; 0: not clipped",
       .source = "PAAC, section 5.1, has 40; its reference code 3",
       .least = 0},
  };
}

std::unique_ptr<Optimizer> make_optimizer(const OptimizerConfig& config, std::int64_t parameters) {
  if (config.kind == "rmsprop") return std::make_unique<RmsProp>(config, parameters);
  if (config.kind == "centered_rmsprop") {
    return std::make_unique<CenteredRmsProp>(config, parameters);
  }
  if (config.kind == "momentum") return std::make_unique<Momentum>(config, parameters);
  if (config.kind == "adam") return std::make_unique<Adam>(config, parameters);
  throw Error(fmt::format(
      "optimizer.kind: unknown rule '{}'; use rmsprop, centered_rmsprop, momentum or adam",
      config.kind));
}

double sum_of_squares(std::span<const float> gradient) {
  // Sixteen partial sums let the compiler use vector registers. Their number is the same on every
  // CPU, and so is the result.
  std::array<double, 16> sums{};
  const auto whole = gradient.size() / sums.size() * sums.size();
  vectorise([&sums, whole, values = gradient.data()] {
    auto lanes = sums;
    for (std::size_t i = 0; i < whole; i += lanes.size()) {
      for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        const double value = values[i + lane];
        lanes[lane] += value * value;
      }
    }
    sums = lanes;
  });
  double total = 0;
  for (const double sum : sums) total += sum;
  for (const float value : gradient.subspan(whole)) total += static_cast<double>(value) * value;
  return total;
}

float clip_scale(double norm, double clip_norm) {
  if (clip_norm <= 0 || norm <= clip_norm) return 1.0f;
  return static_cast<float>(clip_norm / norm);
}

void draw_learning_rate(OptimizerConfig& config, std::uint64_t seed) {
  if (config.lr_choice != "log_uniform") return;
  if (config.lr_low <= 0 || config.lr_high < config.lr_low) {
    throw Error(fmt::format(
        "optimizer.lr_choice: log_uniform draws between optimizer.lr_low and optimizer.lr_high, "
        "which must be above 0 and in this order, not {} and {}",
        config.lr_low, config.lr_high));
  }
  Stream stream(seed, streams::kLearningRate.id());
  config.lr = config.lr_low * std::pow(config.lr_high / config.lr_low, stream.uniform());
}

float learning_rate(const OptimizerConfig& config, std::int64_t steps) {
  if (config.anneal_steps == 0) return static_cast<float>(config.lr);
  return static_cast<float>(linear(config.lr, config.lr_end, steps, config.anneal_steps));
}

}  // namespace tandem
