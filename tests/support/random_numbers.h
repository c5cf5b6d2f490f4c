// Random inputs for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tandem/base/random.h"

namespace tandem {

/// Numbers in [-1, 1), the same for the same id.
inline std::vector<float> random_numbers(std::size_t count, std::uint64_t id) {
  Stream stream(1, id);
  std::vector<float> numbers(count);
  for (auto& number : numbers) number = 2.0f * stream.uniform() - 1.0f;
  return numbers;
}

/// Standard normal numbers, the same for the same id.
inline std::vector<float> normal_numbers(std::size_t count, std::uint64_t id) {
  Stream stream(id, 1);
  std::vector<float> numbers(count);
  for (auto& number : numbers) number = stream.normal();
  return numbers;
}

}  // namespace tandem
