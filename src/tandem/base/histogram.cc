#include "tandem/base/histogram.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tandem {

void Histogram::add(double value, std::int64_t count) {
  // Only positive numbers have a logarithm; all others, NaN among them, count in the first bucket.
  const double place = value > 0 ? (std::log2(value) - kLeast) * kPerDoubling : 0;
  const double last = static_cast<double>(counts_.size()) - 1;
  counts_[static_cast<std::size_t>(std::clamp(place, 0.0, last))] += count;
}

Histogram& Histogram::operator+=(const Histogram& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  return *this;
}

double Histogram::quantile(double q) const {
  const auto all = std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
  if (all == 0) return 0;
  const double wanted = std::max(q * static_cast<double>(all), 1.0);
  std::size_t bucket = 0;
  for (std::int64_t reached = counts_[0]; static_cast<double>(reached) < wanted;) {
    reached += counts_[++bucket];
  }
  return std::exp2((static_cast<double>(bucket) + 0.5) / kPerDoubling + kLeast);
}

}  // namespace tandem
