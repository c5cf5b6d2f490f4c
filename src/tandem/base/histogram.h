// Quantiles of many numbers, without storing them.
#pragma once

#include <array>
#include <cstdint>

namespace tandem {

/// Counts positive numbers from a millionth to a thousand (seconds, say) in buckets whose widths
/// grow with the numbers, so that quantiles are exact to 5%. Numbers outside this range count as
/// its least or greatest. Value type; not thread-safe.
class Histogram {
 public:
  /// Counts `value` as `count` equal numbers.
  void add(double value, std::int64_t count = 1);
  /// Adds all that the other has counted.
  Histogram& operator+=(const Histogram& other);

  /// The quantile `q` (0 to 1) of the numbers; 0 if there are none.
  [[nodiscard]] double quantile(double q) const;

 private:
  static constexpr int kPerDoubling = 8;
  static constexpr int kLeast = -20;  // the range, as exponents of 2
  static constexpr int kMost = 10;
  static constexpr int kBuckets = kPerDoubling * (kMost - kLeast);

  std::array<std::int64_t, kBuckets> counts_ = {};
};

}  // namespace tandem
