// Dense layers in plain C++, for what is too small to be worth a library's overhead.
#pragma once

#include <cstdint>

#include "tandem/base/cpu.h"

namespace tandem {

/// The matrix of a layer, [outputs, inputs] row-major, and how many samples go through it. Value
/// type.
struct DenseShape {
  std::int64_t samples = 0;
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
};

/// The three products of a dense layer with weights w, for x [samples, inputs] and y [samples,
/// outputs]. Sums are made in an order that depends on the shape and the instructions alone; those
/// of forward not on the number of samples either, so that each sample's are as if it were alone.
/// Pure; safe from many threads.
struct DenseKernels {
  using Product = void (*)(const DenseShape& shape, const float* a, const float* b, float* out);

  Product forward;     // (w, x, y): y += x w^T
  Product to_input;    // (w, y, x): x += y w, of gradients
  Product to_weights;  // (y, x, w): w = y^T x, of gradients
};

/// Those for these instructions.
DenseKernels dense_kernels(Simd simd);

}  // namespace tandem
