// Quantities that change linearly while a training goes on.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tandem {

/// The value after `steps` steps of a quantity that moves from `first` to `last` within `length`
/// steps, and then stays; `length` is positive. Pure, thread-safe.
[[nodiscard]] inline double linear(double first, double last, std::int64_t steps,
                                   std::int64_t length) {
  const double done = std::min(1.0, static_cast<double>(steps) / static_cast<double>(length));
  return first + (last - first) * done;
}

}  // namespace tandem
