// The gamma distribution, as a model of sums of step times.
#pragma once

namespace tandem {

/// The chance that a draw is at most x >= 0: the regularised incomplete gamma function P(shape,
/// rate x), to about 12 digits. shape, rate > 0. Pure.
double gamma_cdf(double shape, double rate, double x);

/// Its inverse: 0 at 0, infinity at 1. Pure.
double gamma_quantile(double shape, double rate, double chance);

}  // namespace tandem
