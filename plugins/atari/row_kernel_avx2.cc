// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
//
// Only single functions are compiled for wider instructions than the build's, not the whole file:
// the linker may keep this file's copies of standard inline functions for the whole program.
#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "row_kernel.h"

namespace tandem::atari {
namespace {

constexpr std::size_t kLanes = 8;  // columns computed together
constexpr std::size_t kGroups = (kSide + kLanes - 1) / kLanes;
constexpr int kBlock = 32;              // palette indices looked up together
constexpr int kPick = 16;               // source pixels from which one instruction picks
constexpr std::size_t kTableSize = 16;  // gray levels in a table of one instruction

constexpr std::size_t kHalf = 8;  // tables for half of the palette

using Table = std::array<std::uint8_t, kTableSize>;

// Eight columns side by side, whose k-th taps lie within 16 source pixels.
struct alignas(32) Group {
  std::array<std::array<float, kLanes>, ColumnTaps::kMost> weights{};
  std::array<std::uint8_t, kPick> picks{};  // offsets of the first taps from `first`
  int first = 0;
};

class Avx2Kernel final : public RowKernel {
 public:
  Avx2Kernel(const GrayLevels& levels, const ColumnTaps& taps) {
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const bool begins = i % (levels.size() / 2) < kTableSize;
      const int before = begins ? 0 : levels[i - kTableSize];
      tables_[i / kTableSize][i % kTableSize] = static_cast<std::uint8_t>(levels[i] ^ before);
    }
    for (std::size_t to = 0; to < kSide; ++to) {
      auto& group = groups_[to / kLanes];
      const auto lane = to % kLanes;
      if (lane == 0) group.first = taps.first[to];
      group.picks[lane] = static_cast<std::uint8_t>(taps.first[to] - group.first);
      for (int k = 0; k < ColumnTaps::kMost; ++k) group.weights[k][lane] = taps.weights[k][to];
    }
  }

  [[gnu::target("avx2")]] void resize(const std::uint8_t* first, const std::uint8_t* second,
                                      Row& row) const override {
    // Pixels beyond the row have weight 0.
    alignas(kBlock) std::array<std::uint8_t, kScreenWidth + kBlock> gray;
    for (int x = 0; x < kScreenWidth; x += kBlock) {
      const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(first + x));
      const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(second + x));
      __m256i level = look_up(a);
      const __m256i same = _mm256_cmpeq_epi8(a, b);
      if (_mm256_movemask_epi8(same) != -1) level = _mm256_max_epu8(level, look_up(b));
      _mm256_store_si256(reinterpret_cast<__m256i*>(&gray[x]), level);
    }
    _mm256_store_si256(reinterpret_cast<__m256i*>(&gray[kScreenWidth]), _mm256_setzero_si256());

    for (std::size_t g = 0; g < kGroups; ++g) {
      const auto& group = groups_[g];
      __m256 sum = _mm256_mul_ps(taps_of(group, 0, gray.data()), weights_of(group, 0));
      for (int k = 1; k < ColumnTaps::kMost; ++k) {
        sum =
            _mm256_add_ps(sum, _mm256_mul_ps(taps_of(group, k, gray.data()), weights_of(group, k)));
      }
      _mm256_store_ps(&row.values[g * kLanes], sum);
    }
  }

  [[gnu::target("avx2")]] void blend(std::span<const RowTap> taps,
                                     std::uint8_t* pixels) const override {
    for (std::size_t x = 0; x < kSide; x += kLanes) {
      __m256 sum = _mm256_setzero_ps();
      for (const auto& tap : taps) {
        sum = _mm256_add_ps(
            sum, _mm256_mul_ps(_mm256_set1_ps(tap.weight), _mm256_load_ps(&tap.row->values[x])));
      }
      const __m256i rounded = _mm256_cvtps_epi32(sum);
      const __m128i words =
          _mm_packs_epi32(_mm256_castsi256_si128(rounded), _mm256_extracti128_si256(rounded, 1));
      const std::int64_t bytes = _mm_cvtsi128_si64(_mm_packus_epi16(words, words));
      std::memcpy(pixels + x, &bytes, std::min(kLanes, kSide - x));
    }
  }

 private:
  // Looks up the gray levels of 32 palette indices. One instruction looks up the low 4 bits of each
  // index in a table of 16 entries, and gives 0 for negative indices. Table i thus applies to all
  // indices from 16 i on. It holds the exclusive or of the levels of 16 indices with those of the
  // 16 before, so that the exclusive or over the tables is the level itself. Each half of the
  // palette has tables of its own.
  [[gnu::target("avx2")]] __m256i look_up(__m256i index) const {
    const __m256i size = _mm256_set1_epi8(kTableSize);
    __m256i lower = index;
    __m256i upper = _mm256_xor_si256(index, _mm256_set1_epi8(-128));
    __m256i level = _mm256_setzero_si256();
    for (std::size_t i = 0; i < kHalf; ++i) {
      level = _mm256_xor_si256(level, _mm256_shuffle_epi8(table(i), lower));
      level = _mm256_xor_si256(level, _mm256_shuffle_epi8(table(kHalf + i), upper));
      lower = _mm256_subs_epi8(lower, size);
      upper = _mm256_subs_epi8(upper, size);
    }
    return level;
  }

  [[gnu::target("avx2")]] __m256i table(std::size_t i) const {
    return _mm256_broadcastsi128_si256(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(tables_[i].data())));
  }

  // The source pixels of a group's k-th taps.
  [[gnu::target("avx2")]] static __m256 taps_of(const Group& group, int k,
                                                const std::uint8_t* gray) {
    const auto* source = reinterpret_cast<const __m128i*>(gray + group.first + k);
    const auto* picks = reinterpret_cast<const __m128i*>(group.picks.data());
    const __m128i picked = _mm_shuffle_epi8(_mm_loadu_si128(source), _mm_load_si128(picks));
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(picked));
  }

  [[gnu::target("avx2")]] static __m256 weights_of(const Group& group, int k) {
    return _mm256_load_ps(group.weights[k].data());
  }

  std::array<Table, 2 * kHalf> tables_{};
  std::array<Group, kGroups> groups_{};
};

}  // namespace

std::unique_ptr<RowKernel> avx2_kernel(const GrayLevels& levels, const ColumnTaps& taps) {
  return std::make_unique<Avx2Kernel>(levels, taps);
}

}  // namespace tandem::atari
