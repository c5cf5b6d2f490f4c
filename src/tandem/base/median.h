// The median: a few measurements that other work on the machine slowed down barely move it.
#pragma once

#include <algorithm>
#include <vector>

namespace tandem {

/// The middle value, or the mean of the two middle ones. `values` must not be empty. Pure.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace tandem
