// The distance of floats from their expected values.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace tandem {

/// The norm of the difference relative to the norm of `expected`, which holds floats or doubles.
template <class Expected>
double distance(std::span<const float> actual, const Expected& expected) {
  double difference = 0;
  double size = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    difference += std::pow(actual[i] - expected[i], 2);
    size += std::pow(expected[i], 2);
  }
  return std::sqrt(difference / size);
}

}  // namespace tandem
