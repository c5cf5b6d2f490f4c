#include "tandem/nn/kernels/cell_convolution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tandem/base/cpu.h"
#include "tandem/base/random.h"
#include "tests/nn/distance.h"

namespace tandem {
namespace {

/// The results in double precision, from plain sums.
struct Expected {
  std::vector<double> out, d_weights, d_bias;
};

/// A layer with a batch and the gradient of its sums before the ReLU, all random.
struct Example {
  explicit Example(const CellShape& shape, std::int64_t samples = 3)
      : shape(shape),
        batch(samples),
        cells(batch * shape.cells() * shape.depth),
        weights(shape.filters * shape.filter_weights()),
        bias(shape.filters),
        d_linear(batch * shape.outputs() * shape.filters),
        out(d_linear.size()),
        d_weights(weights.size(), 7.0F),
        d_bias(bias.size(), 7.0F) {
    Stream stream(1, 2);
    for (auto& cell : cells) cell = static_cast<std::uint8_t>(stream.bits());
    for (auto& weight : weights) weight = 0.01F * static_cast<float>(stream.uniform() - 0.5);
    for (auto& one : bias) one = static_cast<float>(stream.uniform() - 0.5);
    // The gradients have many magnitudes, and half of them are 0, as a ReLU leaves them.
    for (auto& d : d_linear) {
      const double size = std::exp(-10 * stream.uniform());
      d = stream.uniform() < 0.5 ? 0.0F : static_cast<float>(size * (stream.uniform() - 0.5));
    }
  }

  void compute() {
    CellConvolution convolution(shape);
    convolution.load(weights.data(), bias.data());
    convolution.forward(batch, cells.data(), out.data());
    convolution.backward(batch, cells.data(), d_linear.data(), d_weights.data(), d_bias.data());
  }

  [[nodiscard]] Expected expected() const {
    Expected all{std::vector<double>(out.size()), std::vector<double>(weights.size()),
                 std::vector<double>(bias.size())};
    for (std::int64_t i = 0; i < std::ssize(out); ++i) {
      const auto column = i / 16 % shape.out_columns();
      const auto row = i / 16 / shape.out_columns() % shape.out_rows();
      const auto block = i / 16 / shape.outputs() % (shape.filters / 16);
      const auto sample = i / (shape.outputs() * shape.filters);
      const auto filter = block * 16 + i % 16;
      double sum = bias[filter];
      all.d_bias[filter] += d_linear[i];
      for (std::int64_t k = 0; k < shape.filter_weights(); ++k) {
        const auto y = row + k / shape.reach % shape.reach;
        const auto x = column + k % shape.reach;
        const auto cell = (sample * shape.rows + y) * shape.columns + x;
        const double byte = cells[cell * shape.depth + k / shape.kernel()];
        sum += byte * weights[filter * shape.filter_weights() + k];
        all.d_weights[filter * shape.filter_weights() + k] += byte * d_linear[i];
      }
      all.out[i] = std::max(sum, 0.0);
    }
    return all;
  }

  CellShape shape;
  std::int64_t batch;
  std::vector<std::uint8_t> cells;
  std::vector<float> weights, bias, d_linear, out, d_weights, d_bias;
};

// Layers of the networks nips, nature and large2, and a shape whose rows end within a tile.
constexpr CellShape kNips{.rows = 21, .columns = 21, .depth = 64, .reach = 2, .filters = 16};
constexpr CellShape kNature{.rows = 21, .columns = 21, .depth = 64, .reach = 2, .filters = 32};
constexpr CellShape kLarge2{.rows = 42, .columns = 42, .depth = 16, .reach = 4, .filters = 32};
constexpr CellShape kOdd{.rows = 5, .columns = 7, .depth = 128, .reach = 3, .filters = 16};

class CellConvolutionTest : public testing::TestWithParam<CellShape> {
 protected:
  void SetUp() override {
    if (best_simd() != Simd::amx) GTEST_SKIP() << "this CPU has no AMX, or TANDEM_CPU masks it";
  }
};

TEST_P(CellConvolutionTest, RoundsNoMoreThanFloatsDo) {
  // Seen failing with slices of one sign, with places counted by out_columns(), and with gradients
  // placed one cell too early.
  ASSERT_TRUE(CellConvolution::supports(GetParam()));
  Example example(GetParam());
  example.compute();
  const auto expected = example.expected();
  EXPECT_LT(distance(example.out, expected.out), 2e-7);
  EXPECT_LT(distance(example.d_weights, expected.d_weights), 4e-7);
  EXPECT_LT(distance(example.d_bias, expected.d_bias), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Shapes, CellConvolutionTest,
                         testing::Values(kNips, kNature, kLarge2, kOdd));

class CellConvolutionEdges : public CellConvolutionTest {};

TEST_P(CellConvolutionEdges, SumsOfALargeBatchDoNotOverflow) {
  // The largest possible products, in a batch whose sums overflow 32 bits. Seen failing without the
  // bound on the batch of add_gradients().
  Example example(
      GetParam(),
      std::numeric_limits<std::int32_t>::max() / (255 * 127 * GetParam().outputs()) + 5);
  std::ranges::fill(example.cells, 255);
  std::ranges::fill(example.d_linear, -1.0F);
  example.compute();
  const auto products = static_cast<float>(example.batch * example.shape.outputs());
  for (const float d : example.d_weights) ASSERT_NEAR(d, -255 * products, products);
  for (const float d : example.d_bias) ASSERT_EQ(d, -products);
}

TEST_P(CellConvolutionEdges, WhatIsNoNumberStaysNoneWithinItsFilter) {
  // Seen failing with the operands of the ReLU's maximum swapped.
  Example example(GetParam());
  example.weights[3] = std::numeric_limits<float>::quiet_NaN();
  example.weights[example.shape.filter_weights()] = std::numeric_limits<float>::infinity();
  example.d_linear[2] = std::numeric_limits<float>::quiet_NaN();
  example.d_linear[3] = -std::numeric_limits<float>::infinity();
  example.compute();
  for (std::int64_t i = 0; i < std::ssize(example.out); ++i) {
    ASSERT_EQ(std::isfinite(example.out[i]), i % 16 > 1) << i;
  }
  for (std::int64_t i = 0; i < std::ssize(example.d_weights); ++i) {
    const auto filter = i / example.shape.filter_weights();
    ASSERT_EQ(std::isfinite(example.d_weights[i]), filter != 2 && filter != 3) << i;
  }
}

TEST_P(CellConvolutionEdges, NothingGivesNothing) {
  Example example(GetParam());
  std::ranges::fill(example.weights, 0.0F);
  std::ranges::fill(example.d_linear, 0.0F);
  example.compute();
  for (std::int64_t i = 0; i < std::ssize(example.out); ++i) {
    ASSERT_EQ(example.out[i], std::max(example.bias[i % 16], 0.0F));
  }
  EXPECT_EQ(std::ranges::count(example.d_weights, 0.0F), std::ssize(example.d_weights));
}

INSTANTIATE_TEST_SUITE_P(Nips, CellConvolutionEdges, testing::Values(kNips));

TEST(CellConvolution, LeavesOtherShapesToOthers) {
  auto shape = kNips;
  EXPECT_TRUE(CellConvolution::supports(shape));
  shape.filters = 24;
  EXPECT_FALSE(CellConvolution::supports(shape));
  shape = kNips;
  shape.depth = 48;  // a kernel's row has 96 bytes
  EXPECT_FALSE(CellConvolution::supports(shape));
  shape.depth = 16;  // a kernel's row has 32 bytes
  EXPECT_FALSE(CellConvolution::supports(shape));
  shape = kNips;
  shape.rows = 1;
  EXPECT_FALSE(CellConvolution::supports(shape));
}

}  // namespace
}  // namespace tandem
