#include "tandem/nn/kernels/max_pool.h"

#include <algorithm>
#include <cstring>

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
using PoolWords = PoolVector<std::uint32_t, kCount>::Type;
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

/// The places of a window along one axis that lie in the image.
struct WindowRange {
  WindowRange(std::int64_t out, std::int64_t size)
      : start(2 * out - size % 2),
        first(std::max<std::int64_t>(0, -start)),
        end(std::min<std::int64_t>(3, size - start)) {}

  std::int64_t start;       // the window's place 0 in the image; -1: in front of it
  std::int64_t first, end;  // of its places
};

template <std::int64_t kCount, class In, class Out>
[[gnu::always_inline]] inline void pool_place(const PoolShape& shape, const In* plane,
                                              const WindowRange& rows, const WindowRange& columns,
                                              Out* out, std::uint8_t* places) {
  PoolFloats<kCount> most;
  auto place = PoolWords<kCount>{} + static_cast<std::uint32_t>(3 * rows.first + columns.first);
  const auto* corner = plane + (rows.start * shape.width + columns.start) * shape.lanes;
  pool_load<kCount>(corner + (rows.first * shape.width + columns.first) * shape.lanes, most);
  for (auto row = rows.first; row < rows.end; ++row) {
    for (auto column = columns.first; column < columns.end; ++column) {
      PoolFloats<kCount> x;
      pool_load<kCount>(corner + (row * shape.width + column) * shape.lanes, x);
      const auto here = PoolWords<kCount>{} + static_cast<std::uint32_t>(3 * row + column);
      const auto larger = (x > most) | (x != x);
      most = larger ? x : most;
      place = larger ? here : place;
    }
  }
  pool_store<kCount>(most, out);
  const auto bytes = __builtin_convertvector(place, PoolBytes<kCount>);
  std::memcpy(places, &bytes, sizeof(bytes));
}

template <std::int64_t kCount, class In, class Out>
[[gnu::always_inline]] inline void pool_all(const PoolShape& shape, const In* in, Out* out,
                                            std::uint8_t* places) {
  for (std::int64_t plane = 0; plane < shape.planes; ++plane) {
    for (std::int64_t y = 0; y < shape.out_height(); ++y) {
      const WindowRange rows(y, shape.height);
      for (std::int64_t x = 0; x < shape.out_width(); ++x) {
        const WindowRange columns(x, shape.width);
        for (std::int64_t lane = 0; lane < shape.lanes; lane += kCount) {
          pool_place<kCount>(shape, in + lane, rows, columns, out + lane, places + lane);
        }
        out += shape.lanes;
        places += shape.lanes;
      }
    }
    in += shape.height * shape.width * shape.lanes;
  }
}

/// The windows along one axis that contain a place of the image.
struct WindowsAround {
  WindowsAround(std::int64_t place, std::int64_t size)
      : from(place + size % 2),
        first(std::max<std::int64_t>(0, (from - 1) / 2)),
        end(std::min((size + 1) / 2, from / 2 + 1)) {}

  /// The index of the place in window `window`.
  [[nodiscard]] std::int64_t index(std::int64_t window) const { return from - 2 * window; }

  std::int64_t from;        // the place counted from the first window's start
  std::int64_t first, end;  // of the windows
};

template <std::int64_t kCount, class T>
[[gnu::always_inline]] inline void pool_gather(const PoolShape& shape, const T* d_plane,
                                               const std::uint8_t* places,
                                               const WindowsAround& rows,
                                               const WindowsAround& columns, T* d_in) {
  PoolFloats<kCount> sum{};
  for (auto row = rows.first; row < rows.end; ++row) {
    for (auto column = columns.first; column < columns.end; ++column) {
      const auto at = (row * shape.out_width() + column) * shape.lanes;
      const auto here = PoolWords<kCount>{} +
                        static_cast<std::uint32_t>(3 * rows.index(row) + columns.index(column));
      PoolBytes<kCount> bytes;
      std::memcpy(&bytes, places + at, sizeof(bytes));
      PoolFloats<kCount> d;
      pool_load<kCount>(d_plane + at, d);
      const auto given = __builtin_convertvector(bytes, PoolWords<kCount>) == here;
      sum += given ? d : PoolFloats<kCount>{};
    }
  }
  pool_store<kCount>(sum, d_in);
}

template <std::int64_t kCount, class T>
[[gnu::always_inline]] inline void pool_all_backward(const PoolShape& shape, const T* d_out,
                                                     const std::uint8_t* places, T* d_in) {
  for (std::int64_t plane = 0; plane < shape.planes; ++plane) {
    for (std::int64_t y = 0; y < shape.height; ++y) {
      const WindowsAround rows(y, shape.height);
      for (std::int64_t x = 0; x < shape.width; ++x) {
        const WindowsAround columns(x, shape.width);
        for (std::int64_t lane = 0; lane < shape.lanes; lane += kCount) {
          pool_gather<kCount>(shape, d_out + lane, places + lane, rows, columns, d_in + lane);
        }
        d_in += shape.lanes;
      }
    }
    d_out += shape.out_height() * shape.out_width() * shape.lanes;
    places += shape.out_height() * shape.out_width() * shape.lanes;
  }
}

template <class In, class Out>
void pool_by_lanes(const PoolShape& shape, const In* in, Out* out, std::uint8_t* places) {
  if (shape.lanes % 16 == 0) return vectorise([=] { pool_all<16>(shape, in, out, places); });
  if (shape.lanes % 8 == 0) return vectorise([=] { pool_all<8>(shape, in, out, places); });
  pool_all<1>(shape, in, out, places);
}

template <class T>
void pool_backward_by_lanes(const PoolShape& shape, const T* d_out, const std::uint8_t* places,
                            T* d_in) {
  if (shape.lanes % 16 == 0) {
    return vectorise([=] { pool_all_backward<16>(shape, d_out, places, d_in); });
  }
  if (shape.lanes % 8 == 0) {
    return vectorise([=] { pool_all_backward<8>(shape, d_out, places, d_in); });
  }
  pool_all_backward<1>(shape, d_out, places, d_in);
}

}  // namespace

void max_pool(const PoolShape& shape, const float* in, float* out, std::uint8_t* places) {
  pool_by_lanes(shape, in, out, places);
}

void max_pool(const PoolShape& shape, const Bfloat16* in, Bfloat16* out, std::uint8_t* places) {
  pool_by_lanes(shape, in, out, places);
}

void max_pool(const PoolShape& shape, const Bfloat16* in, float* out, std::uint8_t* places) {
  pool_by_lanes(shape, in, out, places);
}

void max_pool_backward(const PoolShape& shape, const float* d_out, const std::uint8_t* places,
                       float* d_in) {
  pool_backward_by_lanes(shape, d_out, places, d_in);
}

void max_pool_backward(const PoolShape& shape, const Bfloat16* d_out, const std::uint8_t* places,
                       Bfloat16* d_in) {
  pool_backward_by_lanes(shape, d_out, places, d_in);
}

}  // namespace tandem
