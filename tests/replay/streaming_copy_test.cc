#include "tandem/replay/streaming_copy.h"

#include <gtest/gtest.h>

#include <vector>

namespace tandem {
namespace {

// Seen failing when the bytes after the last whole cache line were left out.
TEST(StreamingCopy, CopiesFromAnywhereToAnywhereAndNoFurther) {
  std::vector<std::byte> from(1000);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i % 251 + 1);
  for (std::size_t first = 0; first < 20; first += 3) {
    for (std::size_t to = 0; to < 70; to += 7) {
      for (const std::size_t size : {0, 1, 15, 16, 63, 64, 65, 200, 777}) {
        std::vector<std::byte> out(1000);
        streaming_copy(std::span(from).subspan(first, size), out.data() + to);
        for (std::size_t i = 0; i < out.size(); ++i) {
          const bool inside = i >= to && i < to + size;
          ASSERT_EQ(out[i], inside ? from[first + i - to] : std::byte{0}) << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tandem
