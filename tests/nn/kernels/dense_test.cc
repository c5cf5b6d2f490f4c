#include "tandem/nn/kernels/dense.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/support/random_numbers.h"

namespace tandem {
namespace {

/// Shapes that fill no block, a part of a register, and one and more registers of each length; with
/// few samples, and with as many as repay a copy of the weights, up to the largest copy and above.
std::vector<DenseShape> shapes() {
  std::vector<DenseShape> all = {{1, 1, 1},     {1, 33, 7},    {5, 50, 6},   {9, 64, 16},
                                 {9, 1003, 13}, {20, 203, 13}, {17, 1, 15},  {17, 512, 9},
                                 {17, 513, 9},  {17, 1024, 5}, {17, 1025, 5}};
  for (const std::int64_t inputs : {2, 3, 4, 6, 8, 12, 16, 24, 32, 50}) {
    all.push_back({5, inputs, 15});
    all.push_back({17, inputs, 15});
  }
  return all;
}

// Compares each set of instructions with plain sums. Seen failing when the last vector had one
// lane too many, in the sums and in what is written, and when a copy's last vector began where that
// of the weights does.
TEST(Dense, ProductsAreThoseOfPlainSums) {
  for (const Simd simd : available_simd()) {
    const auto kernels = dense_kernels(simd);
    for (const auto& shape : shapes()) {
      const auto& [samples, inputs, outputs] = shape;
      const auto w = random_numbers(outputs * inputs, 1);
      const auto x = random_numbers(samples * inputs, 2);
      const auto y = random_numbers(samples * outputs, 3);
      auto forward = y;
      auto to_input = x;
      std::vector<float> to_weights(w.size(), 7.0f);
      kernels.forward(shape, w.data(), x.data(), forward.data());
      kernels.to_input(shape, w.data(), y.data(), to_input.data());
      kernels.to_weights(shape, y.data(), x.data(), to_weights.data());

      std::vector<double> forward_expected(y.begin(), y.end());
      std::vector<double> to_input_expected(x.begin(), x.end());
      std::vector<double> to_weights_expected(w.size());
      for (std::int64_t s = 0; s < samples; ++s) {
        for (std::int64_t j = 0; j < outputs; ++j) {
          for (std::int64_t k = 0; k < inputs; ++k) {
            const double weight = w[j * inputs + k];
            forward_expected[s * outputs + j] += weight * x[s * inputs + k];
            to_input_expected[s * inputs + k] += weight * y[s * outputs + j];
            to_weights_expected[j * inputs + k] += double{y[s * outputs + j]} * x[s * inputs + k];
          }
        }
      }
      const double rounding = std::max(1e-5, 2e-8 * static_cast<double>(inputs));
      EXPECT_THAT(forward, testing::Pointwise(testing::DoubleNear(rounding), forward_expected));
      EXPECT_THAT(to_input, testing::Pointwise(testing::DoubleNear(rounding), to_input_expected));
      EXPECT_THAT(to_weights,
                  testing::Pointwise(testing::DoubleNear(rounding), to_weights_expected));
    }
  }
}

// Seen failing when a sample alone in its block was summed in half as many lanes, without a copy
// and with one.
TEST(Dense, ASamplesSumsDoNotDependOnTheOthers) {
  for (const Simd simd : available_simd()) {
    const auto kernels = dense_kernels(simd);
    for (const auto& all : shapes()) {
      const auto w = random_numbers(all.outputs * all.inputs, 1);
      const auto x = random_numbers(all.samples * all.inputs, 2);
      std::vector<float> together(static_cast<std::size_t>(all.samples * all.outputs));
      auto alone = together;
      kernels.forward(all, w.data(), x.data(), together.data());
      for (std::int64_t s = 0; s < all.samples; ++s) {
        kernels.forward({1, all.inputs, all.outputs}, w.data(), x.data() + s * all.inputs,
                        alone.data() + s * all.outputs);
      }
      EXPECT_EQ(alone, together);
    }
  }
}

}  // namespace
}  // namespace tandem
