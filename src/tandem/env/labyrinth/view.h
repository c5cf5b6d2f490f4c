// A ray caster that draws what an agent sees.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tandem/env/labyrinth/world.h"

namespace tandem::labyrinth {

/// Pixels on a side of the picture that an agent sees (A3C, section 5.2.4).
inline constexpr std::int32_t kViewSize = 84;

/// The walls that an agent sees, one in each column of its picture, from left to right.
struct Columns {
  template <class T>
  using EachColumn = std::array<T, kViewSize>;

  EachColumn<Fixed> ray_x;  // the way of a column's ray for each unit of depth
  EachColumn<Fixed> ray_y;
  EachColumn<Fixed> depth;          // of the wall, along the direction in which the agent looks
  EachColumn<Fixed> half_row;       // texels of the wall in half a row of the picture
  EachColumn<std::int32_t> texels;  // the place of the uppermost texel that the column shows
  EachColumn<std::int32_t> light;   // of 256
};

/// The direction of each column's ray, and the first wall in that direction. The view is a quarter
/// turn wide. Pure.
[[nodiscard]] Columns cast_rays(const Maze& maze, const Agent& agent);

/// Draws what the agent sees: walls, floor and ceiling with their textures, ripe apples and the
/// portal. `frame` has kViewSize x kViewSize bytes of red, as many of green and as many of blue.
/// Every CPU draws the same bytes. Allocates nothing; thread-safe.
void draw_view(const World& world, std::span<std::byte> frame);

}  // namespace tandem::labyrinth
