// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
//
// Only single functions are compiled for wider instructions than the build's, not the whole file:
// the linker may keep this file's copies of standard inline functions for the whole program.
#include <immintrin.h>

#include "row_kernel.h"

namespace tandem::atari {
namespace {

constexpr std::size_t kLanes = 16;  // columns computed together
constexpr std::size_t kGroups = (kSide + kLanes - 1) / kLanes;
constexpr std::size_t kBlock = 64;            // pixels in a vector; a row has two and a half
constexpr std::size_t kLowGroups = 4;         // groups made of the first 128 pixels
constexpr __mmask64 kHalfBlock = 0xffffffff;  // the first 32 pixels of a block
constexpr __mmask64 kLowBytes = 0x1111'1111'1111'1111;  // of each 32-bit number
constexpr __mmask16 kLastColumns = (1 << (kSide % kLanes)) - 1;

// Sixteen columns side by side, computed from 128 pixels: the row's first, or the pixels from the
// 64th on.
struct alignas(64) Group {
  std::array<std::array<std::uint8_t, kBlock>, ColumnTaps::kMost> picks{};  // in every fourth byte
  std::array<std::array<float, kLanes>, ColumnTaps::kMost> weights{};
};

class Avx512Kernel final : public RowKernel {
 public:
  Avx512Kernel(const GrayLevels& levels, const ColumnTaps& taps) : levels_(levels) {
    for (std::size_t to = 0; to < kSide; ++to) {
      const auto lane = to % kLanes;
      const auto begin = to / kLanes < kLowGroups ? 0 : kBlock;
      auto& group = groups_[to / kLanes];
      for (std::size_t k = 0; k < ColumnTaps::kMost; ++k) {
        const auto from = static_cast<std::size_t>(taps.first[to]) + k - begin;
        group.picks[k][lane * sizeof(float)] = static_cast<std::uint8_t>(from);
        group.weights[k][lane] = taps.weights[k][to];
      }
    }
  }

  [[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi")]] void resize(const std::uint8_t* first,
                                                                      const std::uint8_t* second,
                                                                      Row& row) const override {
    const __m512i left = brighter(_mm512_loadu_si512(first), _mm512_loadu_si512(second));
    const __m512i middle =
        brighter(_mm512_loadu_si512(first + kBlock), _mm512_loadu_si512(second + kBlock));
    const __m512i right = brighter(_mm512_maskz_loadu_epi8(kHalfBlock, first + 2 * kBlock),
                                   _mm512_maskz_loadu_epi8(kHalfBlock, second + 2 * kBlock));
    for (std::size_t g = 0; g < kGroups; ++g) {
      const __m512i low = g < kLowGroups ? left : middle;
      const __m512i high = g < kLowGroups ? middle : right;
      __m512 sum = weighted(low, high, groups_[g], 0);
      for (int k = 1; k < ColumnTaps::kMost; ++k) {
        sum = _mm512_add_ps(sum, weighted(low, high, groups_[g], k));
      }
      _mm512_store_ps(&row.values[g * kLanes], sum);
    }
  }

  [[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi")]] void blend(
      std::span<const RowTap> taps, std::uint8_t* pixels) const override {
    for (std::size_t x = 0; x < kSide; x += kLanes) {
      __m512 sum = _mm512_setzero_ps();
      for (const auto& tap : taps) {
        sum = _mm512_add_ps(
            sum, _mm512_mul_ps(_mm512_set1_ps(tap.weight), _mm512_load_ps(&tap.row->values[x])));
      }
      const __m128i bytes = _mm512_cvtusepi32_epi8(_mm512_cvtps_epi32(sum));
      const __mmask16 part = x + kLanes <= kSide ? 0xffff : kLastColumns;
      _mm_mask_storeu_epi8(pixels + x, part, bytes);
    }
  }

 private:
  // The brighter gray levels of two vectors of 64 palette indices.
  [[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi")]] __m512i brighter(__m512i a,
                                                                           __m512i b) const {
    return _mm512_max_epu8(look_up(a), look_up(b));
  }

  // One instruction looks up the low 7 bits of an index in one half of the palette. The highest bit
  // then chooses the half.
  [[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi")]] __m512i look_up(__m512i index) const {
    const auto* levels = levels_.data();
    const __m512i lower = _mm512_permutex2var_epi8(_mm512_load_si512(levels), index,
                                                   _mm512_load_si512(levels + kBlock));
    const __m512i upper = _mm512_permutex2var_epi8(_mm512_load_si512(levels + 2 * kBlock), index,
                                                   _mm512_load_si512(levels + 3 * kBlock));
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), lower, upper);
  }

  // The weighted k-th taps of a group's columns: pixels picked from 128 and widened to 32 bits.
  [[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi")]] static __m512 weighted(__m512i low,
                                                                                 __m512i high,
                                                                                 const Group& group,
                                                                                 int k) {
    const __m512i picks = _mm512_load_si512(group.picks[k].data());
    const __m512i pixels = _mm512_maskz_permutex2var_epi8(kLowBytes, low, picks, high);
    return _mm512_mul_ps(_mm512_cvtepi32_ps(pixels), _mm512_load_ps(group.weights[k].data()));
  }

  alignas(64) GrayLevels levels_;
  std::array<Group, kGroups> groups_{};
};

}  // namespace

std::unique_ptr<RowKernel> avx512_kernel(const GrayLevels& levels, const ColumnTaps& taps) {
  return std::make_unique<Avx512Kernel>(levels, taps);
}

}  // namespace tandem::atari
