// The gamma distribution, as a model of sums of step times.
#pragma once

namespace tandem {

/// The probability that a draw is at most x: the regularised incomplete gamma function
/// P(shape, rate * x), to about 12 digits. Needs shape > 0, rate > 0 and x >= 0. Pure.
double gamma_cdf(double shape, double rate, double x);

/// The inverse of gamma_cdf: the x that a draw does not exceed with the probability `chance`; 0 for
/// 0, infinity for 1. Pure.
double gamma_quantile(double shape, double rate, double chance);

}  // namespace tandem
