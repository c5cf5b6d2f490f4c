#include "tandem/nn/kernels/max_pool.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "tandem/base/vectorise.h"

namespace tandem {
namespace {

// Vectors are passed by reference, because the convention for passing them by value depends on the
// instructions.

template <class T, std::int64_t kCount>
struct PoolVector {
  using Type __attribute__((vector_size(kCount * sizeof(T)))) = T;
};

template <std::int64_t kCount>
using PoolFloats = PoolVector<float, kCount>::Type;
template <std::int64_t kCount>
using PoolWords = PoolVector<std::int32_t, kCount>::Type;
template <std::int64_t kCount>
using PoolHalves = PoolVector<std::uint16_t, kCount>::Type;
template <std::int64_t kCount>
using PoolBytes = PoolVector<std::uint8_t, kCount>::Type;

template <std::int64_t kCount>
[[gnu::always_inline]] inline void pool_load(const float* from, PoolFloats<kCount>& to) {
  std::memcpy(&to, from, sizeof(to));
}

template <std::int64_t kCount>
[[gnu::always_inline]] inline void pool_load(const Bfloat16* from, PoolFloats<kCount>& to) {
  PoolHalves<kCount> halves;
  std::memcpy(&halves, from, sizeof(halves));
  const auto words = __builtin_convertvector(halves, PoolWords<kCount>) << 16;
  std::memcpy(&to, &words, sizeof(to));
}

template <std::int64_t kCount>
[[gnu::always_inline]] inline void pool_store(const PoolFloats<kCount>& from, float* to) {
  std::memcpy(to, &from, sizeof(from));
}

/// Rounds to the nearest bfloat16, ties to even.
template <std::int64_t kCount>
[[gnu::always_inline]] inline void pool_store(const PoolFloats<kCount>& from, Bfloat16* to) {
  PoolWords<kCount> words;
  std::memcpy(&words, &from, sizeof(words));
  words = (words + 0x7fff + (words >> 16 & 1)) >> 16;
  const auto halves = __builtin_convertvector(words, PoolHalves<kCount>);
  std::memcpy(to, &halves, sizeof(halves));
}

/// The places of a window along one axis that lie in the image. Value type.
struct WindowRange {
  std::int64_t first = 0, end = 3;

  [[nodiscard]] bool whole() const { return first == 0 && end == 3; }
};

WindowRange window_range(std::int64_t start, std::int64_t size) {
  return {std::max<std::int64_t>(0, -start), std::min<std::int64_t>(3, size - start)};
}

/// Calls `body` for each window with the index of its first place, perhaps in the padding, that of
/// its output, and its places in the image.
template <class Body>
[[gnu::always_inline]] inline void for_all_windows(const PoolShape& shape, const Body& body) {
  std::int64_t out = 0;
  for (std::int64_t plane = 0; plane < shape.planes; ++plane) {
    for (std::int64_t y = -(shape.height % 2); y + 1 < shape.height; y += 2) {
      const auto rows = window_range(y, shape.height);
      const auto line = (plane * shape.height + y) * shape.width;
      for (std::int64_t x = -(shape.width % 2); x + 1 < shape.width; x += 2, out += shape.lanes) {
        const auto columns = window_range(x, shape.width);
        const auto corner = (line + x) * shape.lanes;
        // Most windows are whole; the compiler then knows the loops over their places.
        if (rows.whole() && columns.whole()) {
          body(corner, out, WindowRange{}, WindowRange{});
        } else {
          body(corner, out, rows, columns);
        }
      }
    }
  }
}

/// GCC 12 makes vector instructions of this form alone: one comparison, whose result selects the
/// larger number and its place. It misses a NaN, which the sum of the differences gives.
template <std::int64_t kCount, class In, class Out>
[[gnu::always_inline]] inline void pool_place(const PoolShape& shape, const In* corner,
                                              const WindowRange& rows, const WindowRange& columns,
                                              Out* out, std::uint8_t* places) {
  PoolFloats<kCount> most, zero{};
  auto place = PoolWords<kCount>{} + static_cast<std::int32_t>(3 * rows.first + columns.first);
  pool_load<kCount>(corner + (rows.first * shape.width + columns.first) * shape.lanes, most);
  for (auto row = rows.first; row < rows.end; ++row) {
    for (auto column = columns.first; column < columns.end; ++column) {
      PoolFloats<kCount> x;
      pool_load<kCount>(corner + (row * shape.width + column) * shape.lanes, x);
      const auto here = PoolWords<kCount>{} + static_cast<std::int32_t>(3 * row + column);
      const PoolWords<kCount> larger = x > most;
      zero += x - x;
      most = larger ? x : most;
      place = larger ? here : place;
    }
  }
  most += zero;
  pool_store<kCount>(most, out);
  const auto bytes = __builtin_convertvector(place, PoolBytes<kCount>);
  std::memcpy(places, &bytes, sizeof(bytes));
}

template <std::int64_t kCount, class In, class Out>
[[gnu::always_inline]] inline void pool_all(const PoolShape& shape, const In* in, Out* out,
                                            std::uint8_t* places) {
  for_all_windows(shape, [&](std::int64_t corner, std::int64_t at, const WindowRange& rows,
                             const WindowRange& columns) {
    for (std::int64_t lane = 0; lane < shape.lanes; lane += kCount) {
      pool_place<kCount>(shape, in + corner + lane, rows, columns, out + at + lane,
                         places + at + lane);
    }
  });
}

/// Adds the gradient of one window's maxima to that of their places.
template <std::int64_t kCount, class T>
[[gnu::always_inline]] inline void pool_scatter(const PoolShape& shape, const T* d_out,
                                                const std::uint8_t* places, const WindowRange& rows,
                                                const WindowRange& columns, T* corner) {
  PoolBytes<kCount> bytes;
  std::memcpy(&bytes, places, sizeof(bytes));
  const auto place = __builtin_convertvector(bytes, PoolWords<kCount>);
  PoolFloats<kCount> d;
  pool_load<kCount>(d_out, d);
  for (auto row = rows.first; row < rows.end; ++row) {
    for (auto column = columns.first; column < columns.end; ++column) {
      auto* to = corner + (row * shape.width + column) * shape.lanes;
      const PoolWords<kCount> given = place == static_cast<std::int32_t>(3 * row + column);
      PoolFloats<kCount> sum;
      pool_load<kCount>(to, sum);
      sum += given ? d : PoolFloats<kCount>{};
      pool_store<kCount>(sum, to);
    }
  }
}

template <std::int64_t kCount, class T>
[[gnu::always_inline]] inline void pool_all_backward(const PoolShape& shape, const T* d_out,
                                                     const std::uint8_t* places, T* d_in) {
  std::fill_n(d_in, shape.inputs(), T{});
  for_all_windows(shape, [&](std::int64_t corner, std::int64_t out, const WindowRange& rows,
                             const WindowRange& columns) {
    for (std::int64_t lane = 0; lane < shape.lanes; lane += kCount) {
      pool_scatter<kCount>(shape, d_out + out + lane, places + out + lane, rows, columns,
                           d_in + corner + lane);
    }
  });
}

/// Calls `body` with the count of numbers in a vector, compiled for instructions that have such
/// vectors.
template <class Body>
void by_lanes(std::int64_t lanes, const Body& body) {
  static const Simd simd = best_simd();
  if (simd >= Simd::avx512 && lanes % 16 == 0) {
    return with_avx512([=] { body(std::integral_constant<std::int64_t, 16>()); });
  }
  if (simd >= Simd::avx2 && lanes % 8 == 0) {
    return with_avx2([=] { body(std::integral_constant<std::int64_t, 8>()); });
  }
  if (lanes % 4 == 0) return body(std::integral_constant<std::int64_t, 4>());
  body(std::integral_constant<std::int64_t, 1>());
}

template <class In, class Out>
void pool_forward(const PoolShape& shape, const In* in, Out* out, std::uint8_t* places) {
  by_lanes(shape.lanes, [=](auto count) { pool_all<count.value>(shape, in, out, places); });
}

template <class T>
void pool_backward(const PoolShape& shape, const T* d_out, const std::uint8_t* places, T* d_in) {
  by_lanes(shape.lanes,
           [=](auto count) { pool_all_backward<count.value>(shape, d_out, places, d_in); });
}

}  // namespace

void max_pool(const PoolShape& shape, const float* in, float* out, std::uint8_t* places) {
  pool_forward(shape, in, out, places);
}

void max_pool(const PoolShape& shape, const Bfloat16* in, Bfloat16* out, std::uint8_t* places) {
  pool_forward(shape, in, out, places);
}

void max_pool(const PoolShape& shape, const Bfloat16* in, float* out, std::uint8_t* places) {
  pool_forward(shape, in, out, places);
}

void max_pool_backward(const PoolShape& shape, const float* d_out, const std::uint8_t* places,
                       float* d_in) {
  pool_backward(shape, d_out, places, d_in);
}

void max_pool_backward(const PoolShape& shape, const Bfloat16* d_out, const std::uint8_t* places,
                       Bfloat16* d_in) {
  pool_backward(shape, d_out, places, d_in);
}

}  // namespace tandem
