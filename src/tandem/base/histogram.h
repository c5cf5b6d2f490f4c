// Quantiles of many numbers, without keeping them.
#pragma once

#include <array>
#include <cstdint>

namespace tandem {

/// Counts positive numbers from a millionth to a thousand (seconds, say) in buckets whose widths
/// grow with the numbers: quantiles are within 5%. Numbers beyond count as the least or the
/// greatest of these. Value type; not thread-safe.
class Histogram {
 public:
  /// Counts `value` as so many equal numbers.
  void add(double value, std::int64_t count = 1);
  /// Adds all that the other has counted.
  Histogram& operator+=(const Histogram& other);

  /// The number that a share of `q` (0 to 1) of all is at most; 0 where there are none.
  [[nodiscard]] double quantile(double q) const;

 private:
  static constexpr int kPerDoubling = 8;
  static constexpr int kLeast = -20;  // powers of 2
  static constexpr int kMost = 10;
  static constexpr int kBuckets = kPerDoubling * (kMost - kLeast);

  std::array<std::int64_t, kBuckets> counts_ = {};
};

}  // namespace tandem
