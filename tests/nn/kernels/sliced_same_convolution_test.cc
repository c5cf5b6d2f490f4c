#include "tandem/nn/kernels/sliced_same_convolution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tandem/base/cpu.h"
#include "tandem/nn/kernels/sliced_same_gradient.h"
#include "tests/nn/distance.h"
#include "tests/support/random_numbers.h"

namespace tandem {
namespace {

class SlicedSameConvolutionTest : public testing::TestWithParam<SameShape> {
 protected:
  void SetUp() override {
    if (best_simd() != Simd::amx) GTEST_SKIP() << "this CPU has no AMX";
  }
};

// Seen failing without the zeros behind each row of slices, and with sums that forget the output.
TEST_P(SlicedSameConvolutionTest, RoundsNoMoreThanFloatsDo) {
  const auto shape = GetParam();
  ASSERT_TRUE(SlicedSameConvolution::supports(shape));
  const auto w = normal_numbers(shape.filters * shape.channels * 9, 1);
  const auto bias = normal_numbers(shape.filters, 2);
  SlicedSameConvolution convolution(shape);
  convolution.load(w.data(), bias.data());
  for (const std::uint64_t sample : {3, 4}) {
    const auto in = normal_numbers(shape.channels * shape.places(), sample);
    const auto before = normal_numbers(shape.filters * shape.places(), 10 + sample);
    auto out = before;
    convolution.forward(in.data(), out.data());
    std::vector<double> expected(out.size());
    for (std::int64_t i = 0; i < std::ssize(out); ++i) {
      const auto place = i / 16 % shape.places();
      const auto filter = i / 16 / shape.places() * 16 + i % 16;
      double sum = bias[filter] + (shape.adds ? before[i] : 0.0F);
      for (std::int64_t k = 0; k < shape.channels * 9; ++k) {
        const auto channel = k / 9;
        const auto y = place / shape.width + k % 9 / 3 - 1;
        const auto x = place % shape.width + k % 3 - 1;
        if (y < 0 || y >= shape.height || x < 0 || x >= shape.width) continue;
        const auto pixel = (channel / 16 * shape.height + y) * shape.width + x;
        sum += double{in[pixel * 16 + channel % 16]} * w[filter * shape.channels * 9 + k];
      }
      expected[i] = shape.relu ? std::max(sum, 0.0) : sum;
    }
    EXPECT_LT(distance(out, expected), 5e-7);
  }
}

// Seen failing without clear(), and with the kernel's columns counted as rows.
TEST_P(SlicedSameConvolutionTest, GradientsOfSamplesAreSummed) {
  const auto shape = GetParam();
  ASSERT_TRUE(SlicedSameGradient::supports(shape));
  SlicedSameGradient gradient(shape);
  gradient.add(normal_numbers(shape.channels * shape.places(), 1).data(),
               normal_numbers(shape.filters * shape.places(), 2).data());
  gradient.clear();
  std::vector<double> expected(static_cast<std::size_t>(shape.filters * shape.channels * 9));
  std::vector<double> expected_bias(static_cast<std::size_t>(shape.filters));
  for (const std::uint64_t sample : {3, 4}) {
    const auto in = normal_numbers(shape.channels * shape.places(), sample);
    const auto d = normal_numbers(shape.filters * shape.places(), 10 + sample);
    gradient.add(in.data(), d.data());
    for (std::int64_t i = 0; i < std::ssize(d); ++i) {
      const auto place = i / 16 % shape.places();
      const auto filter = i / 16 / shape.places() * 16 + i % 16;
      expected_bias[filter] += d[i];
      for (std::int64_t k = 0; k < shape.channels * 9; ++k) {
        const auto channel = k / 9;
        const auto y = place / shape.width + k % 9 / 3 - 1;
        const auto x = place % shape.width + k % 3 - 1;
        if (y < 0 || y >= shape.height || x < 0 || x >= shape.width) continue;
        const auto pixel = (channel / 16 * shape.height + y) * shape.width + x;
        expected[filter * shape.channels * 9 + k] += double{in[pixel * 16 + channel % 16]} * d[i];
      }
    }
  }
  std::vector<float> d_weights(expected.size()), d_bias(expected_bias.size());
  gradient.write(d_weights.data(), d_bias.data());
  EXPECT_LT(distance(d_weights, expected), 1e-6);
  EXPECT_LT(distance(d_bias, expected_bias), 1e-6);
}

TEST_P(SlicedSameConvolutionTest, ANanReachesAllOutputs) {
  const auto shape = GetParam();
  SlicedSameConvolution convolution(shape);
  convolution.load(normal_numbers(shape.filters * shape.channels * 9, 1).data(),
                   normal_numbers(shape.filters, 2).data());
  auto in = normal_numbers(shape.channels * shape.places(), 3);
  in.back() = std::nanf("");
  std::vector<float> out(static_cast<std::size_t>(shape.filters * shape.places()));
  convolution.forward(in.data(), out.data());
  EXPECT_TRUE(std::ranges::all_of(out, [](float x) { return std::isnan(x); }));
}

INSTANTIATE_TEST_SUITE_P(Shapes, SlicedSameConvolutionTest,
                         testing::Values(SameShape{16, 21, 21, 32, false, true},
                                         SameShape{32, 11, 13, 16, true, false},
                                         SameShape{16, 5, 30, 16, true, true},
                                         SameShape{48, 1, 1, 16, false, false},
                                         SameShape{16, 2, 3, 48, false, false}));

}  // namespace
}  // namespace tandem
