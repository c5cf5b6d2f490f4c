#include "tandem/env/labyrinth/view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "tandem/env/labyrinth/textures.h"
#include "tests/env/labyrinth/made_maze.h"

namespace tandem::labyrinth {
namespace {

constexpr std::int32_t kPlane = kViewSize * kViewSize;

/// The agent looks east along a corridor of three cells, from the middle of the first one.
World hall(const char* row) {
  World world(made_maze({"#####", row, "#####", "#   #", "#####"}));
  world.place({.x = kOne + kOne / 2, .y = kOne + kOne / 2, .angle = 0});
  return world;
}

std::vector<std::byte> view_of(const World& world) {
  std::vector<std::byte> frame(3 * kPlane);
  draw_view(world, frame);
  return frame;
}

std::size_t at(std::int32_t row, std::int32_t column) {
  return static_cast<std::size_t>(row) * kViewSize + static_cast<std::size_t>(column);
}

// Seen failing with distances from the agent in place of depths, and with a view of half the width.
TEST(View, DepthsAreThoseOfTheGeometry) {
  const auto world = hall("#   #");
  const auto columns = cast_rays(world.maze(), world.agent());
  for (std::int32_t column = 0; column < kViewSize; ++column) {
    // The wall ahead is 2.5 cells away, the walls beside are half a cell away.
    const double aside = std::abs(2 * column + 1 - kViewSize) / double{kViewSize};
    const double expected = std::min(2.5, 0.5 / aside);
    EXPECT_NEAR(columns.depth[static_cast<std::size_t>(column)] / double{kOne}, expected, 0.01)
        << column;
  }
}

// Seen failing with walls that end two texels too early, and two too late.
TEST(View, AWallIsAsHighAsItsDepthSays) {
  // The bricks of wall 0 have more red than blue, and this ceiling has more blue.
  const auto world = hall("#   #");
  auto maze = world.maze();
  maze.ceiling = kFirstCeiling;
  World plain(maze);
  plain.place(world.agent());
  const auto frame = view_of(plain);
  const auto is_ceiling = [&](std::int32_t row) {
    const auto pixel = at(row, kViewSize / 2);
    return frame[2 * kPlane + pixel] > frame[pixel];
  };
  // 21 / 2.5 = 8.4: the middles of eight rows above the horizon lie on the wall.
  EXPECT_TRUE(is_ceiling(kViewSize / 2 - 9));
  EXPECT_FALSE(is_ceiling(kViewSize / 2 - 8));
}

/// The pixels that differ between two frames.
int differing(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  int count = 0;
  for (std::int32_t pixel = 0; pixel < kPlane; ++pixel) {
    bool same = true;
    for (std::int32_t plane = 0; plane < 3; ++plane) {
      const auto place = static_cast<std::size_t>(plane) * kPlane + static_cast<std::size_t>(pixel);
      same = same && a[place] == b[place];
    }
    count += same ? 0 : 1;
  }
  return count;
}

// Seen failing without the test of depth, and with a size that does not shrink.
TEST(View, SpritesShrinkWithTheirDepthAndWallsHideThem) {
  const auto apples = [](const char* row) {
    World with = hall(row);
    auto maze = with.maze();
    maze.apples.clear();
    World without(maze);
    without.place(with.agent());
    return differing(view_of(with), view_of(without));
  };
  const int near = apples("# o #");
  const int far = apples("#  o#");
  EXPECT_GT(near, 100);
  EXPECT_NEAR(near / static_cast<double>(far), 4, 1);  // one cell away, and two
  EXPECT_EQ(apples("# #o#"), 0);
}

/// A free hall of five cells a side, with one apple. The agent looks at some angle from its middle.
World court(Cell apple, std::int32_t angle) {
  std::vector<std::string> rows = {"#######", "#     #", "#     #", "#     #",
                                   "#     #", "#     #", "#######"};
  rows[static_cast<std::size_t>(apple.y)][static_cast<std::size_t>(apple.x)] = 'o';
  World world(made_maze(rows));
  world.place({.x = 3 * kOne + kOne / 2, .y = 3 * kOne + kOne / 2, .angle = angle});
  return world;
}

/// The mean column of the pixels that the apple changes.
double column_of_apple(Cell apple, std::int32_t angle) {
  const auto with = court(apple, angle);
  auto maze = with.maze();
  maze.apples.clear();
  World without(maze);
  without.place(with.agent());
  const auto frame = view_of(with);
  const auto plain = view_of(without);
  double sum = 0;
  int count = 0;
  for (std::int32_t pixel = 0; pixel < kPlane; ++pixel) {
    if (frame[static_cast<std::size_t>(pixel)] == plain[static_cast<std::size_t>(pixel)]) continue;
    sum += pixel % kViewSize + 0.5;
    ++count;
  }
  return sum / count;
}

// An apple two cells ahead and one to the right is a quarter of the picture's width to the right of
// its middle, as the view is 90 degrees wide. Seen failing with a mirrored picture, and with a turn
// in the other direction.
TEST(View, AnAppleIsWhereTheAgentsTurnPutsIt) {
  struct Case {
    std::int32_t angle;
    Cell right;
  };
  constexpr auto kQuarter = kTurn / 4;
  for (const auto& [angle, right] : {Case{0, {5, 4}}, Case{kQuarter, {2, 5}},
                                     Case{2 * kQuarter, {1, 2}}, Case{3 * kQuarter, {4, 1}}}) {
    EXPECT_NEAR(column_of_apple(right, angle), 0.75 * kViewSize, 1) << angle;
    // With a turn to it, atan(1 / 2), it is in the middle.
    const auto turned = (angle + 26.565 / 360 * kTurn);
    const auto towards = static_cast<std::int32_t>(std::lround(turned)) % kTurn;
    EXPECT_NEAR(column_of_apple(right, towards), 0.5 * kViewSize, 1) << angle;
  }
}

// Seen failing with the order of sprites reversed.
TEST(View, ANearSpriteHidesAFarOne) {
  const auto world = hall("# oP#");
  const auto apple_alone = view_of(hall("# o #"));
  const auto frame = view_of(world);
  const auto middle = at(kViewSize / 2 + 8, kViewSize / 2);
  EXPECT_EQ(frame[middle], apple_alone[middle]);
  EXPECT_GT(frame[middle], frame[2 * kPlane + middle]);  // red
  const auto above = at(kViewSize / 2, kViewSize / 2);
  EXPECT_GT(frame[2 * kPlane + above], std::byte{180});  // the portal
}

}  // namespace
}  // namespace tandem::labyrinth
