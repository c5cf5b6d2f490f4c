#include "tandem/nn/kernels/max_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tandem/base/random.h"

namespace tandem {
namespace {

/// One sample through a pool and back; the gradients of the maxima are 1, 2, 3 and so on.
template <class T>
struct Pooled {
  Pooled(const PoolShape& shape, const std::vector<T>& in)
      : out(static_cast<std::size_t>(shape.outputs())), places(out.size()), d_in(in.size()) {
    max_pool(shape, in.data(), out.data(), places.data());
    std::vector<T> d_out(out.size());
    for (std::size_t i = 0; i < d_out.size(); ++i) d_out[i] = static_cast<T>(i + 1);
    if constexpr (std::is_same_v<T, Bfloat16>) {
      for (auto& d : d_out) d = to_bfloat16(static_cast<float>(d));
    }
    max_pool_backward(shape, d_out.data(), places.data(), d_in.data());
  }

  std::vector<T> out;
  std::vector<std::uint8_t> places;
  std::vector<T> d_in;
};

TEST(MaxPool, AnEvenSizeIsPaddedBehindItsEnd) {
  const std::vector<float> row{3, 1, 2, 5};
  const Pooled<float> pooled({.planes = 1, .height = 1, .width = 4, .lanes = 1}, row);
  EXPECT_EQ(pooled.out, (std::vector<float>{3, 5}));
  EXPECT_EQ(pooled.places, (std::vector<std::uint8_t>{3, 4}));  // the window's second row
  EXPECT_EQ(pooled.d_in, (std::vector<float>{1, 0, 0, 2}));
}

TEST(MaxPool, AnOddSizeIsPaddedOnBothSides) {
  const std::vector<float> row{-3, -1, -2, -5, -4};
  const Pooled<float> pooled({.planes = 1, .height = 1, .width = 5, .lanes = 1}, row);
  EXPECT_EQ(pooled.out, (std::vector<float>{-1, -1, -4}));
  EXPECT_EQ(pooled.d_in, (std::vector<float>{0, 3, 0, 0, 3}));
}

TEST(MaxPool, TheFirstOfSeveralLargestGetsTheGradient) {
  const Pooled<float> pooled({.planes = 1, .height = 3, .width = 3, .lanes = 1},
                             std::vector<float>(9, 7.0F));
  EXPECT_EQ(pooled.d_in, (std::vector<float>{1, 2, 0, 3, 4, 0, 0, 0, 0}));
}

TEST(MaxPool, PassesNanOn) {
  std::vector<float> image(4 * 4 * 16, 1.0F);
  image[5 * 16 + 3] = std::nanf("");
  const Pooled<float> pooled({.planes = 1, .height = 4, .width = 4, .lanes = 16}, image);
  EXPECT_TRUE(std::isnan(pooled.out[3]));
  EXPECT_EQ(std::ranges::count_if(pooled.out, [](float x) { return std::isnan(x); }), 1);
}

/// The number in channel c at a place of an image [planes, height, width, lanes].
template <class T>
T at(const PoolShape& shape, const std::vector<T>& image, std::int64_t height, std::int64_t width,
     std::int64_t c, std::int64_t y, std::int64_t x) {
  const auto place = (c / shape.lanes * height + y) * width + x;
  return image[static_cast<std::size_t>(place * shape.lanes + c % shape.lanes)];
}

class MaxPoolShapes : public testing::TestWithParam<PoolShape> {};

/// Seen failing with padding in front of even sizes, and with windows that end one place early.
TEST_P(MaxPoolShapes, GivesTheLargestOfEachWindow) {
  const auto shape = GetParam();
  Stream stream(5, 6);
  std::vector<float> image(static_cast<std::size_t>(shape.inputs()));
  // Numbers that bfloat16 holds.
  for (auto& x : image) x = from_bfloat16(to_bfloat16(stream.normal()));
  std::vector<Bfloat16> rounded(image.size());
  std::ranges::transform(image, rounded.begin(), to_bfloat16);
  const Pooled<float> pooled(shape, image);
  const Pooled<Bfloat16> pooled_rounded(shape, rounded);
  std::vector<float> mixed(pooled.out.size());
  std::vector<std::uint8_t> places(mixed.size());
  max_pool(shape, rounded.data(), mixed.data(), places.data());
  EXPECT_EQ(mixed, pooled.out);
  EXPECT_EQ(places, pooled.places);
  for (std::int64_t c = 0; c < shape.planes * shape.lanes; ++c) {
    for (std::int64_t y = 0; y < shape.out_height(); ++y) {
      for (std::int64_t x = 0; x < shape.out_width(); ++x) {
        float most = -std::numeric_limits<float>::infinity();
        for (std::int64_t i = 0; i < 9; ++i) {
          const auto row = 2 * y - shape.height % 2 + i / 3;
          const auto column = 2 * x - shape.width % 2 + i % 3;
          if (row < 0 || row >= shape.height || column < 0 || column >= shape.width) continue;
          most = std::max(most, at(shape, image, shape.height, shape.width, c, row, column));
        }
        ASSERT_EQ(at(shape, pooled.out, shape.out_height(), shape.out_width(), c, y, x), most);
        ASSERT_EQ(from_bfloat16(at(shape, pooled_rounded.out, shape.out_height(), shape.out_width(),
                                   c, y, x)),
                  most);
      }
    }
  }
  double sum = 0;
  double expected = 0;
  for (const float d : pooled.d_in) sum += d;
  for (std::size_t i = 0; i < pooled.out.size(); ++i) expected += static_cast<double>(i + 1);
  EXPECT_EQ(sum, expected);
}

INSTANTIATE_TEST_SUITE_P(All, MaxPoolShapes,
                         testing::Values(PoolShape{2, 7, 10, 16}, PoolShape{1, 8, 5, 8},
                                         PoolShape{3, 1, 2, 16}, PoolShape{2, 2, 1, 4},
                                         PoolShape{1, 9, 6, 7}, PoolShape{5, 6, 6, 1},
                                         PoolShape{1, 1, 1, 32}));

}  // namespace
}  // namespace tandem
