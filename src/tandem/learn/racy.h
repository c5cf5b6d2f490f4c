// Reads and writes numbers that other threads change meanwhile, without locks.
//
// Hogwild! (Recht et al., 2011; A3C, section 4) lets threads overwrite each other's updates: losing
// one now and then costs less than waiting. In C++'s own terms that is a data race. An atomic float
// for each parameter would avoid it, but no compiler makes SIMD of those, and an update of all
// parameters would take five times as long. So the race is kept in these functions and nowhere
// else. They rest on two facts. Floats are aligned, and every CPU that tandem runs on loads and
// stores aligned floats whole, by SIMD as well. And the loops read each number once and write it
// once, so that a reader sees nothing but an old or a new value. ThreadSanitizer does not look into
// these functions; it sees everything around them.
#pragma once

#include <span>

namespace tandem::racy {

/// Copies `from` to `to`.
void copy(std::span<const float> from, std::span<float> to);

/// A3C's equations 8 and 9: g = decay g + (1 - decay) d^2, theta -= lr d / sqrt(g + epsilon), or
/// lr d / (sqrt(g) + epsilon), with d = scale * gradient.
struct RmsPropRule {
  float decay;
  float epsilon;
  bool epsilon_inside;
};
void rmsprop(const RmsPropRule& rule, std::span<const float> gradient, float scale, float lr,
             std::span<float> g, std::span<float> theta);

/// A3C's section 4.5: m = alpha m + (1 - alpha) d, theta -= lr m, with d = scale * gradient.
void momentum(float alpha, std::span<const float> gradient, float scale, float lr,
              std::span<float> m, std::span<float> theta);

}  // namespace tandem::racy
