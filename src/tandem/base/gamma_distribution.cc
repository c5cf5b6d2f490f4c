#include "tandem/base/gamma_distribution.h"

#include <cmath>
#include <limits>

namespace tandem {
namespace {

constexpr double kPrecision = 1e-14;
constexpr int kMostTerms = 100000;  // about sqrt(shape) terms are enough

/// The common factor of both expansions: x^a e^-x / Gamma(a).
double front(double a, double x) { return std::exp(a * std::log(x) - x - std::lgamma(a)); }

/// P(a, x) as a power series, which converges quickly if x < a + 1.
double series(double a, double x) {
  double term = 1 / a;
  double sum = term;
  for (int n = 1; n < kMostTerms && term > sum * kPrecision; ++n) {
    term *= x / (a + n);
    sum += term;
  }
  return sum * front(a, x);
}

/// 1 - P(a, x) as a continued fraction, which converges quickly if x > a + 1; by Lentz's method.
double continued_fraction(double a, double x) {
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a;
  double c = 1 / kTiny;
  double d = 1 / b;
  double fraction = d;
  for (int n = 1; n < kMostTerms; ++n) {
    const double numerator = -n * (n - a);
    b += 2;
    d = numerator * d + b;
    d = 1 / (std::abs(d) < kTiny ? kTiny : d);
    c = b + numerator / c;
    if (std::abs(c) < kTiny) c = kTiny;
    fraction *= c * d;
    if (std::abs(c * d - 1) < kPrecision) break;
  }
  return fraction * front(a, x);
}

}  // namespace

double gamma_cdf(double shape, double rate, double x) {
  const double y = rate * x;
  if (y <= 0) return 0;
  return y < shape + 1 ? series(shape, y) : 1 - continued_fraction(shape, y);
}

double gamma_quantile(double shape, double rate, double chance) {
  if (chance <= 0) return 0;
  if (chance >= 1) return std::numeric_limits<double>::infinity();
  double low = 0;
  double high = shape + 1;
  while (gamma_cdf(shape, 1, high) < chance) high *= 2;
  // Bisection is slow, but always converges.
  while (high - low > kPrecision * high) {
    const double middle = (low + high) / 2;
    if (middle == low || middle == high) break;
    (gamma_cdf(shape, 1, middle) < chance ? low : high) = middle;
  }
  return (low + high) / 2 / rate;
}

}  // namespace tandem
