#include "tandem/nn/kernels/pixels.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "tandem/nn/kernels/bfloat16.h"
#include "tandem/nn/kernels/relu.h"

namespace tandem {
namespace {

class Pixels : public testing::TestWithParam<std::int64_t> {};

TEST_P(Pixels, ChannelsComeLastAndBytesAreScaled) {
  const std::int64_t batch = 3;
  const std::int64_t channels = GetParam();
  const std::int64_t pixels = 77;
  std::vector<std::byte> images(batch * channels * pixels);
  for (std::size_t i = 0; i < images.size(); ++i) images[i] = static_cast<std::byte>(i * 37);
  std::vector<float> out(images.size());
  scale_channels_last(images, batch, channels, pixels, out.data());
  for (std::int64_t i = 0; i < batch; ++i) {
    for (std::int64_t c = 0; c < channels; ++c) {
      for (std::int64_t p = 0; p < pixels; ++p) {
        const auto byte = std::to_integer<int>(images[(i * channels + c) * pixels + p]);
        ASSERT_FLOAT_EQ(out[(i * pixels + p) * channels + c], static_cast<float>(byte) / 255.0f);
      }
    }
  }
}

TEST_P(Pixels, NumbersAreScaledAndLessenedOrStayAsTheyAre) {
  const std::int64_t channels = GetParam();
  const std::int64_t pixels = 19;
  std::vector<std::byte> bytes(static_cast<std::size_t>(2 * channels * pixels));
  std::vector<float> floats(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(i * 37);
    floats[i] = 1.5F - static_cast<float>(i);
  }
  std::vector<float> of_bytes(bytes.size()), of_floats(bytes.size());
  write_numbers(bytes, DType::u8, 2, channels, pixels, 0.25F, of_bytes.data());
  write_numbers(std::as_bytes(std::span(floats)), DType::f32, 2, channels, pixels, 0.25F,
                of_floats.data());
  for (std::int64_t at = 0; at < std::ssize(bytes); ++at) {
    const auto image = at / (channels * pixels);
    const auto to = (image * pixels + at % pixels) * channels + at / pixels % channels;
    ASSERT_NEAR(of_bytes[to], std::to_integer<int>(bytes[at]) / 255.0F - 0.25F, 1e-7);
    ASSERT_EQ(of_floats[to], floats[at]);
  }
}

INSTANTIATE_TEST_SUITE_P(Channels, Pixels, testing::Values(1, 3, 4, 12));

/// Expects the same numbers in cells of each type, from two images of 4 channels, 23 x 30. The last
/// rows and columns of the images may be in no cell.
void expect_the_same_numbers(const Cells& cells, std::int64_t block) {
  SCOPED_TRACE(testing::Message() << "stride " << cells.stride << ", block " << block);
  std::vector<std::byte> images(std::size_t{2} * 4 * 23 * 30);
  for (std::size_t i = 0; i < images.size(); ++i) images[i] = static_cast<std::byte>(i * 41);
  const auto places = cells.rows() * cells.columns();
  std::vector<float> out(2 * cells.depth() * places);
  std::vector<Bfloat16> half(out.size());
  write_cells(images, 2, cells, block, out.data());
  write_cells(images, 2, cells, block, half.data());
  std::vector<std::uint8_t> bytes(out.size());
  write_cells(images, 2, cells, block, bytes.data());
  for (std::int64_t at = 0; at < std::ssize(out); ++at) {
    const auto depth = at / (places * block) % (cells.depth() / block) * block + at % block;
    const auto row = at / block / cells.columns() % cells.rows() * cells.stride +
                     depth % cells.pixels() / cells.stride;
    const auto column = at / block % cells.columns() * cells.stride + depth % cells.stride;
    const auto plane = at / (cells.depth() * places) * 4 + depth / cells.pixels();
    const auto byte = std::to_integer<int>(images[(plane * 23 + row) * 30 + column]);
    ASSERT_EQ(out[at], static_cast<float>(byte)) << at;
    ASSERT_EQ(half[at], to_bfloat16(out[at]));
    ASSERT_EQ(bytes[at], byte);
  }
}

TEST(Cells, OfAtariAreTheSameBytesWrittenByRows) {
  // Seen failing when the last cells of a row were read one pixel too far.
  const Cells cells{.channels = 4, .height = 84, .width = 84, .kernel = 8, .stride = 4};
  std::vector<std::byte> images(std::size_t{2} * 4 * 84 * 84);
  for (std::size_t i = 0; i < images.size(); ++i) images[i] = static_cast<std::byte>(i * 41 >> 3);
  std::vector<float> floats(2 * cells.depth() * cells.rows() * cells.columns());
  std::vector<std::uint8_t> bytes(floats.size());
  write_cells(images, 2, cells, cells.depth(), floats.data());
  write_cells(images, 2, cells, cells.depth(), bytes.data());
  for (std::size_t i = 0; i < bytes.size(); ++i) ASSERT_EQ(bytes[i], floats[i]) << i;

  const Cells none{.channels = 4, .height = 84, .width = 84, .kernel = 6, .stride = 4};
  EXPECT_THROW(write_cells(images, 2, none, none.depth(), bytes.data()), std::logic_error);
}

TEST(Cells, HoldTheSameNumbersAsFloatBfloat16AndByteInAnyBlocks) {
  Cells cells{.channels = 4, .height = 23, .width = 30, .kernel = 8, .stride = 4};
  ASSERT_EQ(cells.rows(), 5);
  ASSERT_EQ(cells.columns(), 7);
  for (const std::int64_t block : {8, 16, 32, 64}) expect_the_same_numbers(cells, block);
  cells.stride = 2;
  ASSERT_EQ(cells.rows(), 11);
  ASSERT_EQ(cells.columns(), 15);
  for (const std::int64_t block : {8, 16}) expect_the_same_numbers(cells, block);
}

TEST(Cells, AreRefusedWhereTheyDoNotFit) {
  std::vector<std::byte> images(400);
  std::vector<float> out(400);
  const Cells odd{.channels = 1, .height = 20, .width = 20, .kernel = 3, .stride = 2};
  EXPECT_FALSE(odd.writable());
  EXPECT_THROW(write_cells(images, 1, odd, 8, out.data()), std::logic_error);
  const Cells cells{.channels = 1, .height = 20, .width = 20, .kernel = 8, .stride = 4};
  EXPECT_TRUE(cells.writable());
  EXPECT_THROW(write_cells(images, 1, cells, 1, out.data()), std::logic_error);
}

TEST(Bfloat16, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(to_bfloat16(1.0f), 0x3f80);
  EXPECT_EQ(to_bfloat16(-2.0f), 0xc000);
  EXPECT_EQ(to_bfloat16(1.0f + 0.00390625f), 0x3f80);          // half way, to even
  EXPECT_EQ(to_bfloat16(1.0f + 3 * 0.00390625f), 0x3f82);      // half way, to even
  EXPECT_EQ(to_bfloat16(1.0f + 0.00390625f + 1e-6f), 0x3f81);  // above half way
}

TEST(Relu, PassesGradientsWhereItsOutputWasPositive) {
  const std::vector<float> y{0, 1, 0, 2, 0};
  const std::vector<float> d{1, -2, 3, 4, -5};
  std::vector<float> out(5);
  relu_backward(5, y.data(), d.data(), out.data());
  EXPECT_EQ(out, (std::vector<float>{0, -2, 0, 4, 0}));
  std::vector<Bfloat16> y16, d16, out16(5), expected;
  for (int i = 0; i < 5; ++i) {
    y16.push_back(to_bfloat16(y[i]));
    d16.push_back(to_bfloat16(d[i]));
    expected.push_back(to_bfloat16(out[i]));
  }
  relu_backward(5, y.data(), d.data(), out16.data());
  EXPECT_EQ(out16, expected);
  relu_backward(5, y16.data(), d16.data(), out16.data());
  EXPECT_EQ(out16, expected);
}

}  // namespace
}  // namespace tandem
