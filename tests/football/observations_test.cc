// Pictures and mini maps beside cases computed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <vector>

#include "minimap.h"
#include "shrink.h"
#include "top_view.h"

namespace tandem::football {
namespace {

Footballer footballer_at(float x, float y) {
  Footballer player;
  player.position = {x, y, 0};
  return player;
}

/// One player of each team besides the left keeper; the agent's player has the ball at (x, y).
Situation with_ball_at(float x, float y) {
  Situation now;
  now.left = {footballer_at(-1, 0), footballer_at(x, y)};
  now.right = {footballer_at(0.5F, 0.25F)};
  now.controlled = {1};
  now.ball = {x, y, 0};
  return now;
}

std::vector<std::byte> minimap_of(const Situation& situation) {
  std::vector<std::byte> frame(Minimap::kPlanes * Minimap::kHeight * Minimap::kWidth);
  draw_minimap(situation, 0, frame);
  return frame;
}

TEST(MinimapTest, MarksEachPlane) {
  const auto frame = minimap_of(with_ball_at(0, 0.1F));
  std::set<std::array<std::int64_t, 3>> marked;  // plane, row, column
  for (std::size_t i = 0; i < frame.size(); ++i) {
    if (frame[i] == std::byte{0}) continue;
    EXPECT_EQ(frame[i], std::byte{255});
    const auto at = static_cast<std::int64_t>(i);
    marked.insert({at / (72 * 96), at / 96 % 72, at % 96});
  }
  // Rows: (y + 4/9) / (8/9) * 72. Columns: (x + 1) / 2 * 96.
  const std::set<std::array<std::int64_t, 3>> expected = {
      {0, 36, 0}, {0, 44, 48}, {1, 56, 72}, {2, 44, 48}, {3, 44, 48}};
  EXPECT_EQ(marked, expected);
}

TEST(MinimapTest, MovesPointsBeyondTheMapToItsEdge) {
  EXPECT_EQ(minimap_of(with_ball_at(1.5F, -0.9F))[2 * 72 * 96 + 95], std::byte{255});
}

TEST(MinimapTest, HasNoPlayerOfAnAgentThatControlsNone) {
  auto now = with_ball_at(0, 0);
  now.controlled = {-1};
  const auto frame = minimap_of(now);
  EXPECT_EQ(std::count(frame.begin() + 3 * 72 * 96, frame.end(), std::byte{0}), 72 * 96);
}

// Three columns become two: each has one of its own, and half of the middle one.
TEST(ShrinkTest, TakesTheMeanOfTheCoveredArea) {
  const std::vector<std::uint8_t> rgb = {0,  1, 2, 60, 1, 2, 90,  1, 2,
                                         30, 1, 2, 60, 1, 2, 120, 1, 2};
  std::vector<std::byte> planes(6);
  Shrink({3, 2}, {2, 1}).colours(rgb, Colours::rgb, planes);
  const auto b = [](int value) { return static_cast<std::byte>(value); };
  EXPECT_THAT(planes, testing::ElementsAre(b(30), b(90), b(1), b(1), b(2), b(2)));
}

TEST(ShrinkTest, WeighsColoursAsGrey) {
  const std::vector<std::uint8_t> rgb = {100, 50, 200};
  std::vector<std::byte> planes(1);
  Shrink({1, 1}, {1, 1}).colours(rgb, Colours::gray, planes);
  EXPECT_EQ(planes[0], std::byte{82});  // 29.9 + 29.35 + 22.8
}

TEST(TopViewTest, ShowsTheTeamsAndTheBall) {
  const auto picture = draw_top_view(with_ball_at(0.2F, 0.1F), 640, 320);
  ASSERT_EQ(picture.rgb.size(), 640 * 320 * 3);
  const auto pixel = [&](double x, double y) {
    constexpr double kScale = 640 / 2.12;  // pixels a unit, with the margin
    const auto column = static_cast<std::size_t>(320 + x * kScale);
    const auto row = static_cast<std::size_t>(160 + y * kScale);
    const auto* at = &picture.rgb[3 * (row * 640 + column)];
    return std::array<int, 3>{at[0], at[1], at[2]};
  };
  EXPECT_EQ(pixel(0.2, 0.1), (std::array{255, 255, 255}));    // the ball
  EXPECT_EQ(pixel(-1, 0), (std::array{40, 110, 235}));        // the left keeper
  EXPECT_EQ(pixel(0.5, 0.25), (std::array{215, 60, 45}));     // the right team's player
  EXPECT_EQ(pixel(0.2, 0.1222), (std::array{255, 230, 60}));  // the ring of the agent's player
}

}  // namespace
}  // namespace tandem::football
