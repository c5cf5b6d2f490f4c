#include "tandem/nn/kernels/dense.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

namespace tandem {
namespace {

// Each product is written once over vectors of kLanes floats, in blocks whose sums stay in
// registers, and compiled for each set of instructions. Its functions must be inlined into their
// callers, so that they are compiled for the callers' instructions. A row that does not fill its
// last vector has one that overlaps the vector before it. For a row shorter than a vector, vectors
// are halved until they fit.

template <class Number, std::int64_t kLanes>
struct Lanes {
  using Type __attribute__((vector_size(kLanes * sizeof(Number)))) = Number;
};

template <std::int64_t kLanes>
using Vector = Lanes<float, kLanes>::Type;

template <std::int64_t kLanes>
using Mask = Lanes<std::int32_t, kLanes>::Type;

// A block has kRows rows of weights or factors, at most as many as a vector has lanes, and kColumns
// samples or vectors. AVX-512 has 32 registers and the others have 16.
template <std::int64_t kLanes>
constexpr std::int64_t kRows = kLanes == 16 ? 8 : std::min<std::int64_t>(kLanes, 4);
template <std::int64_t kLanes>
constexpr std::int64_t kColumns = kLanes == 16 ? 3 : 2;

// Vectors are passed by reference, because the convention for passing them by value depends on the
// instructions.
template <class V>
[[gnu::always_inline]] inline void load(V& vector, const void* from) {
  std::memcpy(&vector, from, sizeof(V));
}

template <class V>
[[gnu::always_inline]] inline void store(const V& vector, float* to) {
  std::memcpy(to, &vector, sizeof(V));
}

/// All bits of the last `count` lanes: those of a row's last vector that no other vector has.
template <std::int64_t kLanes>
[[gnu::always_inline]] inline void last_lanes(Mask<kLanes>& mask, std::int64_t count) {
  static constexpr auto kZerosAndOnes = [] {
    std::array<std::int32_t, 2 * kLanes> bits{};
    std::fill(bits.begin() + kLanes, bits.end(), -1);
    return bits;
  }();
  load(mask, kZerosAndOnes.data() + count);
}

/// Both vectors consist of groups of 2 * kHalf lanes. Adds the second half of each group to its
/// first half, and puts a's sums before b's.
template <std::int64_t kLanes, std::int64_t kHalf, int... kLane>
[[gnu::always_inline]] inline void add_halves(const Vector<kLanes>& a, const Vector<kLanes>& b,
                                              Vector<kLanes>& sums,
                                              std::integer_sequence<int, kLane...>) {
  sums = __builtin_shufflevector(a, b, (kLane / kHalf * 2 * kHalf + kLane % kHalf)...) +
         __builtin_shufflevector(a, b, (kLane / kHalf * 2 * kHalf + kLane % kHalf + kHalf)...);
}

/// Sums all lanes of each of kCount vectors and writes the sums to the first lanes of the first
/// vector. Adds one half of a vector to the other until one lane is left.
template <std::int64_t kLanes, std::int64_t kCount, std::int64_t kHalf = kLanes / 2>
[[gnu::always_inline]] inline void sum_lanes(Vector<kLanes>* vectors) {
  static_assert(kCount <= kLanes);
  if constexpr (kHalf > 0) {
    constexpr std::int64_t kPairs = (kCount + 1) / 2;
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < kPairs; ++i) {
      const auto& second = vectors[std::min(2 * i + 1, kCount - 1)];
      add_halves<kLanes, kHalf>(vectors[2 * i], second, vectors[i],
                                std::make_integer_sequence<int, kLanes>());
    }
    sum_lanes<kLanes, kPairs, kHalf / 2>(vectors);
  }
}

/// Where a block's weights lie: vector v of row r at r * row_stride + v * step, but each row's last
/// vector at r * row_stride + last.
struct BlockWeights {
  const float* first = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t step = 0;
  std::int64_t last = 0;
};

/// Computes kRowCount outputs of kSamples samples: each vector that is loaded serves several sums.
template <std::int64_t kLanes, std::int64_t kSamples, std::int64_t kRowCount>
[[gnu::always_inline]] inline void forward_block(const DenseShape& shape, const BlockWeights& w,
                                                 const float* x, float* y) {
  Vector<kLanes> sums[kSamples][kRowCount] = {};
  const auto add = [&](const float* weights, std::int64_t k, const Mask<kLanes>* mask)
      __attribute__((always_inline)) {
    Vector<kLanes> in[kSamples];
#pragma GCC unroll 8
    for (std::int64_t s = 0; s < kSamples; ++s) {
      load(in[s], x + s * shape.inputs + k);
      if (mask != nullptr) in[s] = *mask ? in[s] : Vector<kLanes>{};
    }
#pragma GCC unroll 8
    for (std::int64_t row = 0; row < kRowCount; ++row) {
      Vector<kLanes> weight;
      load(weight, weights + row * w.row_stride);
#pragma GCC unroll 8
      for (std::int64_t s = 0; s < kSamples; ++s) sums[s][row] += weight * in[s];
    }
  };
  const float* weights = w.first;
  std::int64_t k = 0;
  for (; k + kLanes <= shape.inputs; k += kLanes, weights += w.step) add(weights, k, nullptr);
  if (k < shape.inputs) {
    Mask<kLanes> mask;
    last_lanes<kLanes>(mask, shape.inputs - k);
    add(w.first + w.last, shape.inputs - kLanes, &mask);
  }
#pragma GCC unroll 8
  for (std::int64_t s = 0; s < kSamples; ++s) {
    sum_lanes<kLanes, kRowCount>(sums[s]);
    Vector<kRowCount> total, out;
    load(total, &sums[s][0]);
    load(out, y + s * shape.outputs);
    store(out + total, y + s * shape.outputs);
  }
}

/// Computes kRowCount outputs of all samples while their weights are in the cache. The order of a
/// sample's sums is the same in blocks of all sizes.
template <std::int64_t kLanes, std::int64_t kRowCount>
[[gnu::always_inline]] inline void forward_samples(const DenseShape& shape, const BlockWeights& w,
                                                   const float* x, float* y) {
  constexpr std::int64_t kSamples = kColumns<kLanes>;
  std::int64_t s = 0;
  for (; s + kSamples <= shape.samples; s += kSamples) {
    forward_block<kLanes, kSamples, kRowCount>(shape, w, x + s * shape.inputs,
                                               y + s * shape.outputs);
  }
  for (; s < shape.samples; ++s) {
    forward_block<kLanes, 1, kRowCount>(shape, w, x + s * shape.inputs, y + s * shape.outputs);
  }
}

// Many samples repay a copy of the weights. The copy's vectors are aligned and lie one behind the
// other.
constexpr std::int64_t kSamplesForCopy = 16;
constexpr std::int64_t kMostCopied = 4096;  // numbers: half of the smallest first cache

/// Copies a block's weights, vector by vector, to `copy`.
template <std::int64_t kLanes, std::int64_t kRowCount>
[[gnu::always_inline]] inline BlockWeights copied(const BlockWeights& w, std::int64_t inputs,
                                                  float* copy) {
  constexpr std::int64_t kStep = kRowCount * kLanes;
  const std::int64_t vectors = (inputs + kLanes - 1) / kLanes;
  for (std::int64_t v = 0; v < vectors; ++v) {
    const float* from = w.first + std::min(v * kLanes, inputs - kLanes);
#pragma GCC unroll 8
    for (std::int64_t row = 0; row < kRowCount; ++row) {
      Vector<kLanes> weight;
      load(weight, from + row * w.row_stride);
      store(weight, copy + v * kStep + row * kLanes);
    }
  }
  return {copy, kLanes, kStep, (vectors - 1) * kStep};
}

/// Computes the outputs from `row` on, in blocks of kRowCount and less. `copy` has room for
/// kMostCopied numbers.
template <std::int64_t kLanes, std::int64_t kRowCount>
[[gnu::always_inline]] inline void forward_rows(const DenseShape& shape, std::int64_t row,
                                                const float* w, const float* x, float* y,
                                                float* copy) {
  const std::int64_t width = (shape.inputs + kLanes - 1) / kLanes * kLanes;
  const bool copies = shape.samples >= kSamplesForCopy && kRowCount * width <= kMostCopied;
  for (; row + kRowCount <= shape.outputs; row += kRowCount) {
    BlockWeights block{w + row * shape.inputs, shape.inputs, kLanes, shape.inputs - kLanes};
    if (copies) block = copied<kLanes, kRowCount>(block, shape.inputs, copy);
    forward_samples<kLanes, kRowCount>(shape, block, x, y + row);
  }
  if constexpr (kRowCount > 1) forward_rows<kLanes, kRowCount / 2>(shape, row, w, x, y, copy);
}

template <std::int64_t kLanes>
[[gnu::always_inline]] inline void forward(const DenseShape& shape, const float* w, const float* x,
                                           float* y) {
  if constexpr (kLanes > 1) {
    if (shape.inputs < kLanes) return forward<kLanes / 2>(shape, w, x, y);
  }
  alignas(sizeof(Vector<kLanes>)) float copy[kMostCopied];
  forward_rows<kLanes, kRows<kLanes>>(shape, 0, w, x, y, copy);
}

/// out[i] += sum over t of factors[i, t] * rows[t], for rows of `width` floats. The factor [i, t]
/// lies at i * out_stride + t * term_stride.
struct Combination {
  std::int64_t outs = 0;
  std::int64_t terms = 0;
  std::int64_t width = 0;
  const float* factors = nullptr;
  std::int64_t out_stride = 0;
  std::int64_t term_stride = 0;
  const float* rows = nullptr;
  float* out = nullptr;
};

/// Computes kVectors vectors of kOuts rows of `out`, from row `first` and column `column` on. With
/// a mask, writes its lanes alone.
template <std::int64_t kLanes, std::int64_t kVectors, std::int64_t kOuts>
[[gnu::always_inline]] inline void combine_block(const Combination& all, std::int64_t first,
                                                 std::int64_t column, const Mask<kLanes>* mask) {
  Vector<kLanes> sums[kOuts][kVectors];
  float* out = all.out + first * all.width + column;
  const float* factors = all.factors + first * all.out_stride;
  const float* rows = all.rows + column;
#pragma GCC unroll 8
  for (std::int64_t i = 0; i < kOuts; ++i) {
#pragma GCC unroll 8
    for (std::int64_t v = 0; v < kVectors; ++v) load(sums[i][v], out + i * all.width + v * kLanes);
  }
  for (std::int64_t t = 0; t < all.terms; ++t) {
    Vector<kLanes> row[kVectors];
#pragma GCC unroll 8
    for (std::int64_t v = 0; v < kVectors; ++v) load(row[v], rows + t * all.width + v * kLanes);
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < kOuts; ++i) {
      const float factor = factors[i * all.out_stride + t * all.term_stride];
#pragma GCC unroll 8
      for (std::int64_t v = 0; v < kVectors; ++v) sums[i][v] += factor * row[v];
    }
  }
#pragma GCC unroll 8
  for (std::int64_t i = 0; i < kOuts; ++i) {
#pragma GCC unroll 8
    for (std::int64_t v = 0; v < kVectors; ++v) {
      float* const to = out + i * all.width + v * kLanes;
      if (mask != nullptr) {
        Vector<kLanes> before;
        load(before, to);
        sums[i][v] = *mask ? sums[i][v] : before;
      }
      store(sums[i][v], to);
    }
  }
}

template <std::int64_t kLanes, std::int64_t kVectors>
[[gnu::always_inline]] inline void combine_columns(const Combination& all, std::int64_t column,
                                                   const Mask<kLanes>* mask = nullptr) {
  constexpr std::int64_t kOuts = kRows<kLanes>;
  std::int64_t first = 0;
  for (; first + kOuts <= all.outs; first += kOuts) {
    combine_block<kLanes, kVectors, kOuts>(all, first, column, mask);
  }
  for (; first < all.outs; ++first) combine_block<kLanes, kVectors, 1>(all, first, column, mask);
}

template <std::int64_t kLanes>
[[gnu::always_inline]] inline void combine(const Combination& all) {
  if constexpr (kLanes > 1) {
    if (all.width < kLanes) return combine<kLanes / 2>(all);
  }
  constexpr std::int64_t kVectors = kColumns<kLanes>;
  std::int64_t column = 0;
  for (; column + kVectors * kLanes <= all.width; column += kVectors * kLanes) {
    combine_columns<kLanes, kVectors>(all, column);
  }
  for (; column + kLanes <= all.width; column += kLanes) combine_columns<kLanes, 1>(all, column);
  if (column == all.width) return;
  Mask<kLanes> mask;
  last_lanes<kLanes>(mask, all.width - column);
  combine_columns<kLanes, 1>(all, all.width - kLanes, &mask);
}

template <std::int64_t kLanes>
[[gnu::always_inline]] inline void to_input(const DenseShape& shape, const float* w, const float* y,
                                            float* x) {
  combine<kLanes>({.outs = shape.samples,
                   .terms = shape.outputs,
                   .width = shape.inputs,
                   .factors = y,
                   .out_stride = shape.outputs,
                   .term_stride = 1,
                   .rows = w,
                   .out = x});
}

template <std::int64_t kLanes>
[[gnu::always_inline]] inline void to_weights(const DenseShape& shape, const float* y,
                                              const float* x, float* w) {
  std::memset(w, 0, shape.outputs * shape.inputs * sizeof(float));
  combine<kLanes>({.outs = shape.outputs,
                   .terms = shape.samples,
                   .width = shape.inputs,
                   .factors = y,
                   .out_stride = 1,
                   .term_stride = shape.outputs,
                   .rows = x,
                   .out = w});
}

void forward_portable(const DenseShape& shape, const float* w, const float* x, float* y) {
  forward<4>(shape, w, x, y);
}
void to_input_portable(const DenseShape& shape, const float* w, const float* y, float* x) {
  to_input<4>(shape, w, y, x);
}
void to_weights_portable(const DenseShape& shape, const float* y, const float* x, float* w) {
  to_weights<4>(shape, y, x, w);
}

[[gnu::target("avx2,fma")]] void forward_avx2(const DenseShape& shape, const float* w,
                                              const float* x, float* y) {
  forward<8>(shape, w, x, y);
}
[[gnu::target("avx2,fma")]] void to_input_avx2(const DenseShape& shape, const float* w,
                                               const float* y, float* x) {
  to_input<8>(shape, w, y, x);
}
[[gnu::target("avx2,fma")]] void to_weights_avx2(const DenseShape& shape, const float* y,
                                                 const float* x, float* w) {
  to_weights<8>(shape, y, x, w);
}

[[gnu::target("avx512f,fma")]] void forward_avx512(const DenseShape& shape, const float* w,
                                                   const float* x, float* y) {
  forward<16>(shape, w, x, y);
}
[[gnu::target("avx512f,fma")]] void to_input_avx512(const DenseShape& shape, const float* w,
                                                    const float* y, float* x) {
  to_input<16>(shape, w, y, x);
}
[[gnu::target("avx512f,fma")]] void to_weights_avx512(const DenseShape& shape, const float* y,
                                                      const float* x, float* w) {
  to_weights<16>(shape, y, x, w);
}

}  // namespace

DenseKernels dense_kernels(Simd simd) {
  switch (simd) {
    case Simd::portable:
      break;
    case Simd::avx2:
      return {forward_avx2, to_input_avx2, to_weights_avx2};
    case Simd::avx512:
    case Simd::amx:
      return {forward_avx512, to_input_avx512, to_weights_avx512};
  }
  return {forward_portable, to_input_portable, to_weights_portable};
}

}  // namespace tandem
