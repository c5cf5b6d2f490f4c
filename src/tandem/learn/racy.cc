#include "tandem/learn/racy.h"

#include <cmath>
#include <cstddef>

namespace tandem::racy {

__attribute__((no_sanitize("thread"))) void copy(std::span<const float> from, std::span<float> to) {
  const float* __restrict in = from.data();
  float* __restrict out = to.data();
  for (std::size_t i = 0, n = to.size(); i < n; ++i) out[i] = in[i];
}

__attribute__((no_sanitize("thread"))) void rmsprop(const RmsPropRule& rule,
                                                    std::span<const float> gradient, float scale,
                                                    float lr, std::span<float> g,
                                                    std::span<float> theta) {
  const float decay = rule.decay;
  const float inside = rule.epsilon_inside ? rule.epsilon : 0.0f;
  const float outside = rule.epsilon_inside ? 0.0f : rule.epsilon;
  const float* __restrict d = gradient.data();
  float* __restrict square = g.data();
  float* __restrict p = theta.data();
  for (std::size_t i = 0, n = theta.size(); i < n; ++i) {
    const float scaled = scale * d[i];
    const float mean = decay * square[i] + (1.0f - decay) * scaled * scaled;
    square[i] = mean;
    p[i] -= lr * scaled / (std::sqrt(mean + inside) + outside);
  }
}

__attribute__((no_sanitize("thread"))) void momentum(float momentum,
                                                     std::span<const float> gradient, float scale,
                                                     float lr, std::span<float> m,
                                                     std::span<float> theta) {
  const float* __restrict d = gradient.data();
  float* __restrict velocity = m.data();
  float* __restrict p = theta.data();
  for (std::size_t i = 0, n = theta.size(); i < n; ++i) {
    const float moved = momentum * velocity[i] + (1.0f - momentum) * scale * d[i];
    velocity[i] = moved;
    p[i] -= lr * moved;
  }
}

}  // namespace tandem::racy
