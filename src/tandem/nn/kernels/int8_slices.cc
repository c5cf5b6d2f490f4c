// As in dense.cc, an attribute names the instructions that a function needs beyond the build's own.
#include "tandem/nn/kernels/int8_slices.h"

#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tandem/nn/kernels/transpose.h"

namespace tandem {
namespace {

/// Packs the lowest bytes of the numbers in four vectors: first those of the four numbers 0, then
/// those of the four numbers 1, and so on.
[[gnu::target("avx512f,avx512bw"), gnu::always_inline]] inline __m512i lowest_bytes(
    const __m512i& a, const __m512i& b, const __m512i& c, const __m512i& d) {
  constexpr __mmask64 kSecond = 0x2222'2222'2222'2222;
  constexpr __mmask64 kThird = kSecond << 1;
  constexpr __mmask64 kFourth = kSecond << 2;
  const __m512i two = _mm512_mask_mov_epi8(a, kSecond, _mm512_slli_epi32(b, 8));
  const __m512i three = _mm512_mask_mov_epi8(two, kThird, _mm512_slli_epi32(c, 16));
  return _mm512_mask_mov_epi8(three, kFourth, _mm512_slli_epi32(d, 24));
}

/// The whole numbers nearest to sixteen floats times their factors. Adding 128 to each slice makes
/// it a byte of 0 to 255, carries included. Its highest bit is then the opposite of that in a
/// signed byte, and is flipped.
[[gnu::target("avx512f"), gnu::always_inline]] inline __m512i whole_row(const float* row,
                                                                        const __m512& factor) {
  const __m512i halves = _mm512_set1_epi32(0x808080);
  const __m512i nearest = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(row), factor));
  return _mm512_xor_si512(_mm512_add_epi32(nearest, halves), halves);
}

/// Splits four rows of whole numbers into their slices.
[[gnu::target("avx512f,avx512bw"), gnu::always_inline]] inline void split(
    const __m512i (&rows)[4], __m512i (&slices)[kSlices]) {
  const auto& [a, b, c, d] = rows;
  slices[0] = lowest_bytes(a, b, c, d);
  slices[1] = lowest_bytes(_mm512_srli_epi32(a, 8), _mm512_srli_epi32(b, 8),
                           _mm512_srli_epi32(c, 8), _mm512_srli_epi32(d, 8));
  slices[2] = lowest_bytes(_mm512_srli_epi32(a, 16), _mm512_srli_epi32(b, 16),
                           _mm512_srli_epi32(c, 16), _mm512_srli_epi32(d, 16));
}

/// Splits four of the rows [count, 16], from row `i` on, into their slices. Repeats the last row in
/// place of rows beyond it.
[[gnu::target("avx512f,avx512bw"), gnu::always_inline]] inline void split_four(
    const float* rows, std::int64_t count, std::int64_t i, const __m512& factor,
    __m512i (&slices)[kSlices]) {
  __m512i four[4];
#pragma GCC unroll 4
  for (std::int64_t k = 0; k < 4; ++k) {
    four[k] = whole_row(rows + std::min(i + k, count - 1) * kLanes, factor);
  }
  split(four, slices);
}

[[gnu::target("avx512f"), gnu::always_inline]] inline void add_row(const float* row, __m512& most,
                                                                   __m512& sum) {
  const __m512 numbers = _mm512_loadu_ps(row);
  most = _mm512_max_ps(most, _mm512_abs_ps(numbers));
  sum = _mm512_add_ps(sum, numbers);
}

}  // namespace

WholeScale::WholeScale(float largest, float sum) {
  constexpr float kLargest = 8'355'000;  // slightly more would not fit three slices
  constexpr float kNothing = 1e-30F;     // smaller numbers are negligible; the factor for this one
                                         // still fits a float
  const float scale = std::max(largest, kNothing) / kLargest;
  factor = 1 / scale;
  back = std::isfinite(sum) ? scale : std::numeric_limits<float>::quiet_NaN();
}

[[gnu::target("avx512f")]] void transpose_rows(const std::array<const std::uint8_t*, kLanes>& rows,
                                               std::int64_t count, std::uint8_t* columns) {
  constexpr std::int64_t kBytes = 4;
  for (std::int64_t next = 0; next < count; next += kLanes) {
    const auto first = std::min(next, count - kLanes);
    __m512i block[kLanes];
    for (std::int64_t i = 0; i < kLanes; ++i) {
      block[i] = _mm512_loadu_si512(rows[i] + first * kBytes);
    }
    transpose(block);
    for (std::int64_t i = 0; i < kLanes; ++i) {
      _mm512_storeu_si512(columns + (first + i) * kLanes * kBytes, block[i]);
    }
  }
}

void transpose_to_rows(const float* matrix, std::int64_t stride, std::int64_t count, float* rows) {
  std::array<const std::uint8_t*, kLanes> from;
  for (std::int64_t i = 0; i < kLanes; ++i) {
    from[i] = reinterpret_cast<const std::uint8_t*>(matrix + i * stride);
  }
  transpose_rows(from, count, reinterpret_cast<std::uint8_t*>(rows));
}

[[gnu::target("avx512f")]] void measure_rows(const float* rows, std::int64_t count, float* largest,
                                             float* sums) {
  // Four chains of operations run side by side, because within a chain each operation waits for the
  // one before.
  constexpr std::int64_t kChains = 4;
  __m512 most[kChains], sum[kChains];
  for (std::int64_t chain = 0; chain < kChains; ++chain) {
    most[chain] = sum[chain] = _mm512_setzero_ps();
  }
  std::int64_t i = 0;
  for (; i + kChains <= count; i += kChains) {
#pragma GCC unroll 4
    for (std::int64_t chain = 0; chain < kChains; ++chain) {
      add_row(rows + (i + chain) * kLanes, most[chain], sum[chain]);
    }
  }
  for (; i < count; ++i) add_row(rows + i * kLanes, most[0], sum[0]);
  const __m512 all =
      _mm512_max_ps(_mm512_max_ps(most[0], most[1]), _mm512_max_ps(most[2], most[3]));
  const __m512 total = _mm512_add_ps(_mm512_add_ps(sum[0], sum[1]), _mm512_add_ps(sum[2], sum[3]));
  _mm512_storeu_ps(largest, _mm512_max_ps(_mm512_loadu_ps(largest), all));
  _mm512_storeu_ps(sums, _mm512_add_ps(_mm512_loadu_ps(sums), total));
}

WholeScale one_scale(const float* rows, std::int64_t count) {
  std::array<float, kLanes> largest{}, sums{};
  measure_rows(rows, count, largest.data(), sums.data());
  return {*std::ranges::max_element(largest), std::accumulate(sums.begin(), sums.end(), 0.0F)};
}

[[gnu::target("avx512f")]] void to_whole(const float* rows, std::int64_t count,
                                         const float* factors, std::int32_t* whole) {
  const __m512 factor = _mm512_loadu_ps(factors);
  for (std::int64_t i = 0; i < count; ++i) {
    _mm512_storeu_si512(whole + i * kLanes, whole_row(rows + i * kLanes, factor));
  }
}

[[gnu::target("avx512f,avx512bw")]] void slices_of_four_rows(
    const std::array<const float*, 4>& rows, const float* factors, const SlicePlaces& to) {
  const __m512 factor = _mm512_loadu_ps(factors);
  __m512i four[4];
#pragma GCC unroll 4
  for (std::size_t k = 0; k < 4; ++k) four[k] = whole_row(rows[k], factor);
  __m512i slices[kSlices];
  split(four, slices);
  for (std::size_t slice = 0; slice < kSlices; ++slice) {
    _mm512_storeu_si512(to[slice], slices[slice]);
  }
}

[[gnu::target("avx512f,avx512bw")]] void slices_of_fours(const float* rows, std::int64_t count,
                                                         float factor, const SlicePlaces& to,
                                                         std::int64_t stride) {
  const __m512 factors = _mm512_set1_ps(factor);
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < count; i += 4, at += stride) {
    __m512i slices[kSlices];
    split_four(rows, count, i, factors, slices);
    for (std::size_t slice = 0; slice < kSlices; ++slice) {
      _mm512_storeu_si512(to[slice] + at, slices[slice]);
    }
  }
}

[[gnu::target("avx512f,avx512bw,avx512vbmi")]] void slices_in_order(const float* rows,
                                                                    std::int64_t count,
                                                                    float factor,
                                                                    const SlicePlaces& to) {
  alignas(64) static constexpr auto kOrder = [] {
    std::array<std::uint8_t, 64> order{};
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = static_cast<std::uint8_t>(i % kLanes * 4 + i / kLanes);
    }
    return order;
  }();
  const __m512i order = _mm512_load_si512(kOrder.data());
  const __m512 factors = _mm512_set1_ps(factor);
  for (std::int64_t i = 0; i < count; i += 4) {
    __m512i slices[kSlices];
    split_four(rows, count, i, factors, slices);
    for (std::size_t slice = 0; slice < kSlices; ++slice) {
      _mm512_storeu_si512(to[slice] + i * kLanes, _mm512_permutexvar_epi8(order, slices[slice]));
    }
  }
}

[[gnu::target("avx512f,avx512bw")]] void slices_of_columns(const std::int32_t* whole,
                                                           const SlicePlaces& to,
                                                           std::int64_t stride) {
  __m512i slices[kSlices][kLanes];
  for (std::int64_t i = 0; i < kLanes; ++i) {
    __m512i four[4];
#pragma GCC unroll 4
    for (std::int64_t k = 0; k < 4; ++k) four[k] = _mm512_loadu_si512(whole + (4 * i + k) * kLanes);
    __m512i of_four[kSlices];
    split(four, of_four);
    for (std::int64_t slice = 0; slice < kSlices; ++slice) slices[slice][i] = of_four[slice];
  }
  for (std::int64_t slice = 0; slice < kSlices; ++slice) {
    transpose(slices[slice]);
    for (std::int64_t i = 0; i < kLanes; ++i) {
      _mm512_storeu_si512(to[slice] + i * stride, slices[slice][i]);
    }
  }
}

}  // namespace tandem
