#include "tandem/replay/streaming_copy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tandem {

#ifdef __SSE2__

void streaming_copy(std::span<const std::byte> from, std::byte* to) {
  if (from.empty()) return;          // its address may be null, which memcpy forbids
  constexpr std::size_t kLine = 64;  // bytes of a cache line, which is written as a whole
  const auto before = std::min(from.size(), -reinterpret_cast<std::uintptr_t>(to) % kLine);
  std::memcpy(to, from.data(), before);
  const auto* read = from.data() + before;
  to += before;
  auto left = from.size() - before;
  for (; left >= kLine; left -= kLine) {
    for (std::size_t i = 0; i < kLine; i += sizeof(__m128i)) {
      const auto part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(read + i));
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), part);
    }
    read += kLine;
    to += kLine;
  }
  std::memcpy(to, read, left);
  _mm_sfence();  // makes this copy visible to other threads before later writes
}

#else

void streaming_copy(std::span<const std::byte> from, std::byte* to) {
  std::memcpy(to, from.data(), from.size());
}

#endif

}  // namespace tandem
