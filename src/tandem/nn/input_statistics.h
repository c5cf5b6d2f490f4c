// The running statistics of a network's inputs, which lie among its parameters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tandem/nn/architecture.h"

namespace tandem {

/// A view of the mean and the variance of each number of the observations that an agent has learned
/// from, behind the trained parameters. They are parameters so that they go wherever a policy goes:
/// to actors, target networks, checkpoints and files. Each statistic has a second float, the rest
/// that the first one cannot hold: a float alone would stop to follow after some million
/// observations. Networks read the first floats only. Not thread-safe.
struct InputStatistics {
  std::span<float> mean;           // [numbers]
  std::span<float> variance;       // [numbers], of the population: divided by the count
  std::span<float> mean_rest;      // [numbers]
  std::span<float> variance_rest;  // [numbers]
  std::span<float> count;          // the observations so far, and its rest

  /// Sets the statistics of no observation: mean 0 and variance 1, which leave inputs unscaled.
  void clear() const;
};

/// One tensor of the statistics, as parameters list it. Value type.
struct StatisticsTensor {
  std::string name;
  std::int64_t count;  // of its numbers
};

/// The tensors in their order, for observations of this many numbers. Pure.
[[nodiscard]] std::array<StatisticsTensor, 5> input_statistics_tensors(std::int64_t numbers);

/// The statistics in the part of a network's parameters behind architecture.trained_count(). Throws
/// std::logic_error for a part that cannot hold statistics.
[[nodiscard]] InputStatistics input_statistics_in(std::span<float> part);

/// Shifts and scales observations by the statistics among a network's parameters: (x - mean) /
/// sqrt(variance + 1e-8), within +-10. It reads them anew for each batch. Not thread-safe.
class InputNormaliser {
 public:
  /// `parameters` are those of `architecture` and must outlive this object.
  InputNormaliser(const Architecture& architecture, std::span<const float> parameters);

  /// Writes the normalised numbers of `observations` (fp32, whole observations) to `out`, which has
  /// as many numbers.
  void write(std::span<const std::byte> observations, std::span<float> out);

  /// The means and the deviations by which write() would shift and scale now.
  struct Scale {
    std::vector<float> mean;
    std::vector<float> deviation;
  };
  [[nodiscard]] Scale scale() const;

 private:
  std::span<const float> mean_, variance_;
  std::vector<float> deviation_;
};

}  // namespace tandem
