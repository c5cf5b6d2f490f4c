// Times as poll() takes them.
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

}  // namespace tandem
