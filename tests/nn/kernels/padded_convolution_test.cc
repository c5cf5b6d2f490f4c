#include "tandem/nn/kernels/padded_convolution.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/nn/distance.h"
#include "tests/support/random_numbers.h"

namespace tandem {
namespace {

class PaddedConvolutionShapes : public testing::TestWithParam<PaddedShape> {
 protected:
  /// Calls body(pixel, weight, output) with the indices of each product of a pixel and a weight.
  template <class Body>
  void for_each_product(Body body) const {
    const auto& s = GetParam();
    for (std::int64_t filter = 0; filter < s.filters; ++filter) {
      for (std::int64_t i = 0; i < s.height * s.width * s.channels * 9; ++i) {
        const auto channel = i / 9 % s.channels;
        const auto y = i / 9 / s.channels / s.width;
        const auto x = i / 9 / s.channels % s.width;
        const auto row = y + i % 9 / 3 - 1;
        const auto column = x + i % 3 - 1;
        if (row < 0 || row >= s.height || column < 0 || column >= s.width) continue;
        body((row * s.width + column) * s.channels + channel,
             (filter * s.channels + channel) * 9 + i % 9, output(filter, y, x));
      }
    }
  }

  [[nodiscard]] static std::int64_t output(std::int64_t filter, std::int64_t y, std::int64_t x) {
    const auto& s = GetParam();
    const auto place = (filter / s.lanes * s.height + y) * s.width + x;
    return place * s.lanes + filter % s.lanes;
  }
};

// Seen failing with an image that is padded on the left alone.
TEST_P(PaddedConvolutionShapes, IsTheSumOfProducts) {
  const auto& s = GetParam();
  const auto image = normal_numbers(s.height * s.width * s.channels, 1);
  const auto weights = normal_numbers(s.filters * s.channels * 9, 2);
  const auto bias = normal_numbers(s.filters, 3);
  PaddedConvolution convolution(s);
  convolution.load(weights.data(), bias.data());
  std::vector<float> out(static_cast<std::size_t>(s.outputs()), -1.0F);
  convolution.forward(image.data(), out.data());
  std::vector<double> expected(out.size());
  for (std::int64_t i = 0; i < s.filters * s.height * s.width; ++i) {
    const auto filter = i / s.height / s.width;
    expected[output(filter, i / s.width % s.height, i % s.width)] = bias[filter];
  }
  for_each_product([&](auto pixel, auto weight, auto to) {
    expected[to] += static_cast<double>(image[pixel]) * weights[weight];
  });
  EXPECT_LT(distance(out, expected), 1e-6);
}

// Seen failing without clear().
TEST_P(PaddedConvolutionShapes, SumsTheGradientsOfSamples) {
  const auto& s = GetParam();
  PaddedConvolution convolution(s);
  std::vector<double> expected(static_cast<std::size_t>(s.filters * s.channels * 9));
  std::vector<double> expected_bias(static_cast<std::size_t>(s.filters));
  std::vector<float> d_weights(expected.size()), d_bias(expected_bias.size());
  convolution.add_gradients(normal_numbers(s.height * s.width * s.channels, 7).data(),
                            normal_numbers(s.outputs(), 8).data());
  convolution.clear();
  for (const std::uint64_t sample : {1, 2}) {
    const auto image = normal_numbers(s.height * s.width * s.channels, sample);
    const auto d_out = normal_numbers(s.outputs(), 10 + sample);
    convolution.add_gradients(image.data(), d_out.data());
    for_each_product([&](auto pixel, auto weight, auto to) {
      expected[weight] += static_cast<double>(image[pixel]) * d_out[to];
    });
    for (std::int64_t i = 0; i < s.filters * s.height * s.width; ++i) {
      const auto filter = i / s.height / s.width;
      expected_bias[filter] += d_out[output(filter, i / s.width % s.height, i % s.width)];
    }
  }
  convolution.write_gradients(d_weights.data(), d_bias.data());
  EXPECT_LT(distance(d_weights, expected), 1e-6);
  EXPECT_LT(distance(d_bias, expected_bias), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(All, PaddedConvolutionShapes,
                         testing::Values(PaddedShape{4, 9, 31, 16, 16},
                                         PaddedShape{1, 5, 13, 20, 16}, PaddedShape{3, 1, 1, 8, 8},
                                         PaddedShape{5, 7, 12, 17, 8}));

}  // namespace
}  // namespace tandem
