// Dense layers in plain C++, for small layers where a library's overhead would dominate.
#pragma once

#include <cstdint>

#include "tandem/base/cpu.h"

namespace tandem {

/// The sizes of a layer's matrix, [outputs, inputs] row-major, and the number of samples. Value
/// type.
struct DenseShape {
  std::int64_t samples = 0;
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
};

/// The three products of a dense layer with weights w, for x [samples, inputs] and y [samples,
/// outputs]. The order of sums depends only on the shape and the instructions. In `forward` it does
/// not depend on the number of samples either, so each sample is computed as if it were alone.
/// Stateless; safe to call from many threads.
struct DenseKernels {
  using Product = void (*)(const DenseShape& shape, const float* a, const float* b, float* out);

  Product forward;     // (w, x, y): y += x w^T
  Product to_input;    // (w, y, x): x += y w, for gradients
  Product to_weights;  // (y, x, w): w = y^T x, for gradients
};

/// The kernels compiled for these instructions.
DenseKernels dense_kernels(Simd simd);

}  // namespace tandem
