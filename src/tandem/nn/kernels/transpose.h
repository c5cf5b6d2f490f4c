// The transpose of a square of numbers in the registers of AVX-512.
#pragma once

#include <immintrin.h>

namespace tandem {

/// Exchanges the rows and columns of 16 x 16 numbers of 32 bits.
[[gnu::target("avx512f"), gnu::always_inline]] inline void transpose(__m512i (&rows)[16]) {
  constexpr int kRows = 16;
  __m512i part[kRows];
  // Within each quarter of a register: first pairs, then fours of rows.
#pragma GCC unroll 8
  for (int i = 0; i < kRows; i += 2) {
    part[i] = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
    part[i + 1] = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < kRows; i += 4) {
    rows[i] = _mm512_unpacklo_epi64(part[i], part[i + 2]);
    rows[i + 1] = _mm512_unpackhi_epi64(part[i], part[i + 2]);
    rows[i + 2] = _mm512_unpacklo_epi64(part[i + 1], part[i + 3]);
    rows[i + 3] = _mm512_unpackhi_epi64(part[i + 1], part[i + 3]);
  }
  // Then the quarters themselves: even ones and odd ones, twice.
  constexpr int kEven = 0x88, kOdd = 0xdd;
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    part[i] = _mm512_shuffle_i32x4(rows[i], rows[i + 4], kEven);
    part[i + 4] = _mm512_shuffle_i32x4(rows[i], rows[i + 4], kOdd);
    part[i + 8] = _mm512_shuffle_i32x4(rows[i + 8], rows[i + 12], kEven);
    part[i + 12] = _mm512_shuffle_i32x4(rows[i + 8], rows[i + 12], kOdd);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    rows[i] = _mm512_shuffle_i32x4(part[i], part[i + 8], kEven);
    rows[i + 4] = _mm512_shuffle_i32x4(part[i + 4], part[i + 12], kEven);
    rows[i + 8] = _mm512_shuffle_i32x4(part[i], part[i + 8], kOdd);
    rows[i + 12] = _mm512_shuffle_i32x4(part[i + 4], part[i + 12], kOdd);
  }
}

}  // namespace tandem
