#include "tolerance.h"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace tandem::mujoco {
namespace {

bool may_vanish(Sigmoid sigmoid) {
  return sigmoid == Sigmoid::cosine || sigmoid == Sigmoid::linear || sigmoid == Sigmoid::quadratic;
}

void check(const Wanted& wanted) {
  if (wanted.lower > wanted.upper) throw std::invalid_argument("tolerance: lower is over upper");
  if (wanted.margin < 0) throw std::invalid_argument("tolerance: the margin is negative");
  const double value = wanted.value_at_margin;
  if (value >= 1 || value < 0 || (value == 0 && !may_vanish(wanted.sigmoid))) {
    throw std::invalid_argument("tolerance: no such value at the margin for this sigmoid");
  }
}

double square(double x) { return x * x; }

/// A curve that falls from 1 at x = 0 to `value` at x = 1.
double fall(double x, double value, Sigmoid sigmoid) {
  switch (sigmoid) {
    case Sigmoid::gaussian:
      return std::exp(-0.5 * square(x * std::sqrt(-2 * std::log(value))));
    case Sigmoid::hyperbolic:
      return 1 / std::cosh(x * std::acosh(1 / value));
    case Sigmoid::long_tail:
      return 1 / (square(x * std::sqrt(1 / value - 1)) + 1);
    case Sigmoid::reciprocal:
      return 1 / (std::abs(x) * (1 / value - 1) + 1);
    case Sigmoid::cosine: {
      const double scaled = x * std::acos(2 * value - 1) / std::numbers::pi;
      return std::abs(scaled) < 1 ? (1 + std::cos(std::numbers::pi * scaled)) / 2 : 0;
    }
    case Sigmoid::linear: {
      const double scaled = x * (1 - value);
      return std::abs(scaled) < 1 ? 1 - scaled : 0;
    }
    case Sigmoid::quadratic: {
      const double scaled = x * std::sqrt(1 - value);
      return std::abs(scaled) < 1 ? 1 - square(scaled) : 0;
    }
    case Sigmoid::tanh_squared:
      return 1 - square(std::tanh(x * std::atanh(std::sqrt(1 - value))));
  }
  throw std::invalid_argument("tolerance: there is no such sigmoid");
}

}  // namespace

double tolerance(double x, const Wanted& wanted) {
  check(wanted);
  if (wanted.lower <= x && x <= wanted.upper) return 1;
  if (wanted.margin == 0) return 0;
  const double distance = x < wanted.lower ? wanted.lower - x : x - wanted.upper;
  return fall(distance / wanted.margin, wanted.value_at_margin, wanted.sigmoid);
}

}  // namespace tandem::mujoco
