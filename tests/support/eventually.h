// Waits with an end, for tests of what other threads or processes do.
#pragma once

#include <chrono>
#include <thread>

namespace tandem {

/// Whether a condition holds within a minute, which is enough under a sanitizer and beside other
/// tests. Returns as soon as it holds.
template <class Condition>
[[nodiscard]] bool eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return true;
}

}  // namespace tandem
