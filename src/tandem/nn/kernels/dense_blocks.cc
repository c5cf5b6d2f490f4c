#include "tandem/nn/kernels/dense_blocks.h"

#include <immintrin.h>

#include "tandem/base/cpu.h"
#include "tandem/nn/kernels/transpose.h"

namespace tandem {
namespace {

// A register holds 16 numbers, or 16 pairs of bfloat16s. 16 registers are a square.
constexpr int kLanes = 16;

/// The nearest bfloat16s, ties to even, as to_bfloat16() has it.
[[gnu::target("avx512f"), gnu::always_inline]] inline __m256i rounded(const float* numbers) {
  const __m512i bits = _mm512_loadu_si512(numbers);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i up = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
  return _mm512_cvtepi32_epi16(_mm512_srli_epi32(up, 16));
}

/// 16 rows of 16 inputs.
[[gnu::target("avx512f")]] void pack_square(const float* weights, std::int64_t inputs,
                                            float* blocks) {
  __m512i rows[kLanes];
#pragma GCC unroll 16
  for (int j = 0; j < kLanes; ++j) rows[j] = _mm512_loadu_si512(weights + j * inputs);
  transpose(rows);
#pragma GCC unroll 16
  for (int j = 0; j < kLanes; ++j) {
    _mm512_storeu_si512(blocks + j * BlockShape::kOutputs, rows[j]);
  }
}

/// 16 rows of 32 inputs, which are 16 pairs.
[[gnu::target("avx512f")]] void pack_square(const float* weights, std::int64_t inputs,
                                            Bfloat16* blocks) {
  __m512i rows[kLanes];
#pragma GCC unroll 16
  for (int j = 0; j < kLanes; ++j) {
    const float* row = weights + j * inputs;
    rows[j] = _mm512_inserti64x4(_mm512_castsi256_si512(rounded(row)), rounded(row + kLanes), 1);
  }
  transpose(rows);
#pragma GCC unroll 16
  for (int j = 0; j < kLanes; ++j) {
    _mm512_storeu_si512(blocks + std::int64_t{2} * j * BlockShape::kOutputs, rows[j]);
  }
}

/// Goes along 16 rows at a time, so that the CPU can fetch their next numbers ahead. A register has
/// `wide` inputs of a row, and `size` numbers of a block one output.
template <class Number>
void pack(const BlockShape& shape, const float* weights, std::int64_t wide, std::int64_t size,
          Number* blocks) {
  for (std::int64_t o = 0; o < shape.outputs; o += kLanes) {
    const std::int64_t within = o % BlockShape::kOutputs;
    Number* block = blocks + (o - within) * shape.inputs + within * size;
    for (std::int64_t i = 0; i < shape.inputs; i += wide) {
      pack_square(weights + o * shape.inputs + i, shape.inputs, block + i * BlockShape::kOutputs);
    }
  }
}

}  // namespace

bool BlockShape::supported() const {
  const Simd simd = best_simd();
  return (simd == Simd::avx512 || simd == Simd::amx) && outputs % kOutputs == 0 &&
         inputs % kInputs == 0;
}

void pack_blocks(const BlockShape& shape, const float* weights, float* blocks) {
  pack(shape, weights, kLanes, 1, blocks);
}

void pack_blocks(const BlockShape& shape, const float* weights, Bfloat16* blocks) {
  pack(shape, weights, std::int64_t{2} * kLanes, 2, blocks);
}

}  // namespace tandem
