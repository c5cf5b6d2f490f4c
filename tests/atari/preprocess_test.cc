#include "preprocess.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace tandem::atari {
namespace {

constexpr int kScreens = 10;

GrayLevels identity() {
  GrayLevels levels;
  std::iota(levels.begin(), levels.end(), std::uint8_t{0});
  return levels;
}

std::vector<std::uint8_t> noise(std::size_t count) {
  std::vector<std::uint8_t> pixels(count);
  std::uint32_t state = 1;
  for (auto& pixel : pixels) {
    state = state * 1664525 + 1013904223;
    pixel = static_cast<std::uint8_t>(state >> 24);
  }
  return pixels;
}

std::uint64_t fnv1a(const std::vector<std::uint8_t>& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const auto byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

std::uint64_t hash_of_resized_noise(int height) {
  const auto pixels = noise(std::size_t{kScreens} * kScreenWidth * height);
  const std::size_t screen_bytes = pixels.size() / kScreens;
  const AreaResize resize(height);
  GrayScreen gray(screen_bytes);
  std::vector<std::uint8_t> small(std::size_t{kScreens} * kSide * kSide);
  for (std::size_t i = 0; i < kScreens; ++i) {
    to_gray(&pixels[i * screen_bytes], identity(), gray);
    resize(gray, &small[i * kSide * kSide]);
  }
  return fnv1a(small);
}

// The hashes are OpenCV's, from tests/golden/area_resize.py. Seen failing with half rounded up
// and with fused multiply-adds.
TEST(AreaResize, EqualsOpenCvOnNoise) {
  EXPECT_EQ(hash_of_resized_noise(210), 0xc93c8d745dd08672);
  EXPECT_EQ(hash_of_resized_noise(214), 0xf6f72daa0c06a30b);
  EXPECT_EQ(hash_of_resized_noise(250), 0xaf8c9edb12bb9133);
}

class GrayTest : public testing::Test {
 protected:
  // A pixel of `gray_`, which is interleaved.
  [[nodiscard]] int gray_at(int x, int y) const {
    const int row = y * kScreenWidth;
    const int column = x % 40 * 4 + x / 40;
    return gray_[row + column];
  }

  // Rows of three kinds: of their own, like the row above, and equal in both screens.
  void SetUp() override {
    first_ = noise(gray_.size());
    second_ = noise(2 * gray_.size());
    second_.erase(second_.begin(), second_.begin() + static_cast<std::ptrdiff_t>(gray_.size()));
    for (auto* screen : {&first_, &second_}) {
      std::copy_n(screen->begin(), kScreenWidth, screen->begin() + kScreenWidth);
    }
    std::copy_n(first_.begin() + 5 * kScreenWidth, kScreenWidth, &second_[5 * kScreenWidth]);
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      levels_[i] = static_cast<std::uint8_t>(i * 37 % 256);
    }
  }

  GrayScreen gray_ = GrayScreen(std::size_t{210} * kScreenWidth);
  std::vector<std::uint8_t> first_;
  std::vector<std::uint8_t> second_;
  GrayLevels levels_{};
};

TEST_F(GrayTest, TakesTheBrighterOfTwoScreensPixelByPixel) {
  to_gray_max(first_.data(), second_.data(), levels_, gray_);
  for (int y = 0; y < 210; ++y) {
    for (int x = 0; x < kScreenWidth; ++x) {
      const int at = y * kScreenWidth + x;
      ASSERT_EQ(gray_at(x, y), std::max(levels_[first_[at]], levels_[second_[at]]));
    }
  }
}

TEST_F(GrayTest, BrightensAnEarlierScreen) {
  to_gray(first_.data(), levels_, gray_);
  add_gray_max(second_.data(), levels_, gray_);
  const auto brightened = gray_;
  to_gray_max(first_.data(), second_.data(), levels_, gray_);
  EXPECT_EQ(brightened, gray_);
}

}  // namespace
}  // namespace tandem::atari
