// Reads and writes floats that other threads change at the same time, without locks.
//
// Hogwild! (Recht et al., 2011; A3C, section 4) lets threads overwrite each other's updates: losing
// one now and then costs less than waiting. By the C++ standard this is a data race. An atomic
// float for each parameter would avoid it, but compilers do not vectorise loops over atomics, and
// an update of all parameters would take five times as long. Therefore these functions, and no
// others, contain the race. They rely on two facts. Floats are aligned, and every CPU that tandem
// supports loads and stores an aligned float as a whole, also in SIMD instructions. The loops read
// each float once and write it once, so a reader sees either the old or the new value.
// ThreadSanitizer does not check these functions; it checks all code around them.
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
