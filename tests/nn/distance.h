// How far floats are from what they should be.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace tandem {

/// Relative to the size of `expected`, both taken as one vector.
inline double distance(const std::vector<float>& actual, const std::vector<double>& expected) {
  double difference = 0;
  double size = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    difference += std::pow(actual[i] - expected[i], 2);
    size += std::pow(expected[i], 2);
  }
  return std::sqrt(difference / size);
}

}  // namespace tandem
