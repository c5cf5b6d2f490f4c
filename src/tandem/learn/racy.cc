#include "tandem/learn/racy.h"

#include <cstddef>

#include "tandem/base/vectorise.h"
#include "tandem/learn/optimizer_rules.h"

namespace tandem::racy {

__attribute__((no_sanitize("thread"))) void copy(std::span<const float> from, std::span<float> to) {
  const float* __restrict in = from.data();
  float* __restrict out = to.data();
  for (std::size_t i = 0, n = to.size(); i < n; ++i) out[i] = in[i];
}

namespace {

template <bool kInside>
__attribute__((no_sanitize("thread"))) void update(const RmsPropRule& rule,
                                                   std::span<const float> gradient, float scale,
                                                   float lr, std::span<float> g,
                                                   std::span<float> theta) {
  const float decay = rule.decay;
  const float epsilon = rule.epsilon;
  const float* __restrict d = gradient.data();
  float* __restrict square = g.data();
  float* __restrict p = theta.data();
  vectorise([ =, n = theta.size() ]() __attribute__((no_sanitize("thread"))) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto next = rmsprop_step<kInside>(square[i], scale * d[i], decay, epsilon, lr);
      square[i] = next.square;
      p[i] -= next.step;
    }
  });
}

}  // namespace

void rmsprop(const RmsPropRule& rule, std::span<const float> gradient, float scale, float lr,
             std::span<float> g, std::span<float> theta) {
  rule.epsilon_inside ? update<true>(rule, gradient, scale, lr, g, theta)
                      : update<false>(rule, gradient, scale, lr, g, theta);
}

__attribute__((no_sanitize("thread"))) void momentum(float alpha, std::span<const float> gradient,
                                                     float scale, float lr, std::span<float> m,
                                                     std::span<float> theta) {
  const float* __restrict d = gradient.data();
  float* __restrict mean = m.data();
  float* __restrict p = theta.data();
  vectorise([ =, n = theta.size() ]() __attribute__((no_sanitize("thread"))) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto next = momentum_step(mean[i], scale * d[i], alpha, lr);
      mean[i] = next.mean;
      p[i] -= next.step;
    }
  });
}

}  // namespace tandem::racy
