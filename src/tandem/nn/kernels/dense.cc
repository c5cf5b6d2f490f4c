#include "tandem/nn/kernels/dense.h"

#include <cstring>

namespace tandem {
namespace {

// Each product is written once over vectors of kLanes floats, in blocks whose sums stay in
// registers, and compiled for each set of instructions. Its functions must be inlined into their
// callers, so that they are compiled for the callers' instructions.

template <std::int64_t kLanes>
struct Lanes {
  using Type __attribute__((vector_size(kLanes * sizeof(float)))) = float;
};

template <std::int64_t kLanes>
using Vector = Lanes<kLanes>::Type;

// Vectors are passed by reference, because the convention for passing them by value depends on the
// instructions.
template <class V>
[[gnu::always_inline]] inline void load(V& vector, const float* from) {
  std::memcpy(&vector, from, sizeof(V));
}

template <class V>
[[gnu::always_inline]] inline void store(const V& vector, float* to) {
  std::memcpy(to, &vector, sizeof(V));
}

/// The sum of all lanes: adds one half to the other until one lane is left.
template <std::int64_t kLanes>
[[gnu::always_inline]] inline float sum(const Vector<kLanes>& vector) {
  if constexpr (kLanes == 1) {
    return vector[0];
  } else {
    constexpr std::int64_t kHalf = kLanes / 2;
    Vector<kHalf> low, high;
    std::memcpy(&low, &vector, sizeof(low));
    std::memcpy(&high, reinterpret_cast<const char*>(&vector) + sizeof(low), sizeof(high));
    return sum<kHalf>(low + high);
  }
}

/// Computes kRows outputs of kSamples samples: each vector that is loaded serves several sums.
template <std::int64_t kLanes, std::int64_t kSamples, std::int64_t kRows>
[[gnu::always_inline]] inline void forward_block(const DenseShape& shape, const float* w,
                                                 const float* x, float* y) {
  Vector<kLanes> sums[kSamples][kRows] = {};
  std::int64_t k = 0;
  for (; k + kLanes <= shape.inputs; k += kLanes) {
    Vector<kLanes> in[kSamples];
#pragma GCC unroll 8
    for (std::int64_t s = 0; s < kSamples; ++s) load(in[s], x + s * shape.inputs + k);
#pragma GCC unroll 8
    for (std::int64_t row = 0; row < kRows; ++row) {
      Vector<kLanes> weights;
      load(weights, w + row * shape.inputs + k);
#pragma GCC unroll 8
      for (std::int64_t s = 0; s < kSamples; ++s) sums[s][row] += weights * in[s];
    }
  }
#pragma GCC unroll 8
  for (std::int64_t s = 0; s < kSamples; ++s) {
#pragma GCC unroll 8
    for (std::int64_t row = 0; row < kRows; ++row) {
      float total = sum<kLanes>(sums[s][row]);
      for (auto rest = k; rest < shape.inputs; ++rest) {
        total += w[row * shape.inputs + rest] * x[s * shape.inputs + rest];
      }
      y[s * shape.outputs + row] += total;
    }
  }
}

/// Computes kRows outputs of all samples while their weights are in the cache. The order of a
/// sample's sums is the same whether or not it shares a block.
template <std::int64_t kLanes, std::int64_t kRows>
[[gnu::always_inline]] inline void forward_rows(const DenseShape& shape, const float* w,
                                                const float* x, float* y) {
  constexpr std::int64_t kSamples = 2;
  std::int64_t s = 0;
  for (; s + kSamples <= shape.samples; s += kSamples) {
    forward_block<kLanes, kSamples, kRows>(shape, w, x + s * shape.inputs, y + s * shape.outputs);
  }
  for (; s < shape.samples; ++s) {
    forward_block<kLanes, 1, kRows>(shape, w, x + s * shape.inputs, y + s * shape.outputs);
  }
}

template <std::int64_t kLanes>
[[gnu::always_inline]] inline void forward(const DenseShape& shape, const float* w, const float* x,
                                           float* y) {
  constexpr std::int64_t kRows = 4;
  std::int64_t row = 0;
  for (; row + kRows <= shape.outputs; row += kRows) {
    forward_rows<kLanes, kRows>(shape, w + row * shape.inputs, x, y + row);
  }
  for (; row < shape.outputs; ++row) {
    forward_rows<kLanes, 1>(shape, w + row * shape.inputs, x, y + row);
  }
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

/// Computes kVectors vectors of kOuts rows of `out`, from row `first` and column `column` on.
template <std::int64_t kLanes, std::int64_t kVectors, std::int64_t kOuts>
[[gnu::always_inline]] inline void combine_block(const Combination& all, std::int64_t first,
                                                 std::int64_t column) {
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
    for (std::int64_t v = 0; v < kVectors; ++v) store(sums[i][v], out + i * all.width + v * kLanes);
  }
}

template <std::int64_t kLanes, std::int64_t kVectors>
[[gnu::always_inline]] inline void combine_columns(const Combination& all, std::int64_t column) {
  constexpr std::int64_t kOuts = 4;
  std::int64_t first = 0;
  for (; first + kOuts <= all.outs; first += kOuts) {
    combine_block<kLanes, kVectors, kOuts>(all, first, column);
  }
  for (; first < all.outs; ++first) combine_block<kLanes, kVectors, 1>(all, first, column);
}

template <std::int64_t kLanes>
[[gnu::always_inline]] inline void combine(const Combination& all) {
  constexpr std::int64_t kVectors = 2;
  std::int64_t column = 0;
  for (; column + kVectors * kLanes <= all.width; column += kVectors * kLanes) {
    combine_columns<kLanes, kVectors>(all, column);
  }
  for (; column + kLanes <= all.width; column += kLanes) combine_columns<kLanes, 1>(all, column);
  for (; column < all.width; ++column) combine_columns<1, 1>(all, column);
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
