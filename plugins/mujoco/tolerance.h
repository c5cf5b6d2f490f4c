// Scores how close a number is to a wanted range, for the rewards of the suite.
#pragma once

#include <limits>

namespace tandem::mujoco {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The curve along which the score falls outside the bounds.
enum class Sigmoid {
  gaussian,
  hyperbolic,
  long_tail,
  reciprocal,
  cosine,
  linear,
  quadratic,
  tanh_squared
};

/// The wanted range, ends included, and the score beyond it: `value_at_margin` at the distance
/// `margin`. With a margin of 0 the score is 0 everywhere outside. Value type.
struct Wanted {
  double lower = 0;
  double upper = 0;
  double margin = 0;
  Sigmoid sigmoid = Sigmoid::gaussian;
  double value_at_margin = 0.1;
};

/// The score: 1 within the bounds, between 0 and 1 outside (Tassa et al. 2018, "DeepMind Control
/// Suite", section 2.1). Only cosine, linear and quadratic may have the value 0 at the margin.
/// Pure, thread-safe. Throws std::invalid_argument for bounds or values that make no sense.
double tolerance(double x, const Wanted& wanted);

}  // namespace tandem::mujoco
