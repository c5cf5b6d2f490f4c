// Times of waits for workers, as poll() takes them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace tandem {

/// The milliseconds from now on, rounded up; 0 when that time is over.
inline int milliseconds_until(std::chrono::steady_clock::time_point deadline) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  constexpr std::int64_t kMost = 1'000'000'000;
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, kMost));
}

/// A wait for a worker takes slices of this length.
inline constexpr int kSliceMilliseconds = 100;

/// By how much a deadline moves after a wait of one slice. A wait that took far longer tells that
/// this process was suspended, as by `docker pause`, and its workers with it.
inline std::chrono::steady_clock::duration suspended_for(
    std::chrono::steady_clock::duration waited) {
  const bool suspended = waited >= 10 * std::chrono::milliseconds(kSliceMilliseconds);
  return suspended ? waited : std::chrono::steady_clock::duration::zero();
}

}  // namespace tandem
