#include "tandem/env/labyrinth/view.h"

#include <algorithm>
#include <cstdlib>

#include "tandem/base/vectorise.h"
#include "tandem/env/labyrinth/light.h"
#include "tandem/env/labyrinth/sprites.h"
#include "tandem/env/labyrinth/textures.h"

namespace tandem::labyrinth {
namespace {

constexpr std::int32_t kRows = kViewSize / 2;  // above the horizon, and as many below it
constexpr std::int32_t kPixels = kViewSize * kViewSize;
// A wall is a cell high, and the eye is at half its height. At a depth of 1 a cell is half as wide
// as the view, because the view is a quarter turn wide. So a wall ends 21 / depth pixels above and
// below the horizon.
constexpr std::int32_t kCellPixels = kViewSize / 2;
constexpr std::int32_t kTexelBits = kFixedBits - 5;  // a texel of a cell, of 32
static_assert(kTexels == 1 << (kFixedBits - kTexelBits));

/// The first wall of a ray.
struct Hit {
  std::int64_t depth;
  Cell cell;
  bool along_x;  // whether the ray crossed the wall's side that faces along x
};

/// Walks from cell to cell along a ray (the digital differential analyser of Amanatides and Woo
/// 1987, "A fast voxel traversal algorithm for ray tracing").
Hit first_wall(const Maze& maze, const Agent& agent, Fixed ray_x, Fixed ray_y) {
  constexpr std::int64_t kNever = std::int64_t{1} << 40;
  constexpr std::int64_t kSquare = std::int64_t{1} << (2 * kFixedBits);
  const auto each = [](Fixed ray) { return ray == 0 ? kNever : kSquare / std::abs(ray); };
  const auto first = [](Fixed ray, Fixed at, std::int64_t cell) {
    const Fixed within = at & (kOne - 1);
    return times(cell, ray < 0 ? within : kOne - within);
  };
  const std::int64_t each_x = each(ray_x);
  const std::int64_t each_y = each(ray_y);
  std::int64_t next_x = first(ray_x, agent.x, each_x);
  std::int64_t next_y = first(ray_y, agent.y, each_y);
  const std::int32_t step_x = ray_x < 0 ? -1 : 1;
  const std::int32_t step_y = ray_y < 0 ? -1 : 1;
  Hit hit{.depth = 0, .cell = {agent.x >> kFixedBits, agent.y >> kFixedBits}, .along_x = false};
  while (!maze.wall(hit.cell)) {
    hit.along_x = next_x < next_y;
    if (hit.along_x) {
      hit.depth = next_x;
      next_x += each_x;
      hit.cell.x += step_x;
    } else {
      hit.depth = next_y;
      next_y += each_y;
      hit.cell.y += step_y;
    }
  }
  return hit;
}

/// The texel across the wall where a ray hits it, from left to right as the agent sees it.
std::int32_t texel_across(const Hit& hit, const Agent& agent, Fixed ray_x, Fixed ray_y) {
  const auto at = static_cast<Fixed>(hit.along_x ? agent.y + times(hit.depth, ray_y)
                                                 : agent.x + times(hit.depth, ray_x));
  const std::int32_t across = (at & (kOne - 1)) >> kTexelBits;
  const bool from_left = hit.along_x ? ray_x > 0 : ray_y < 0;
  return from_left ? across : kTexels - 1 - across;
}

Texel shade(Texel texel, std::int32_t light) {
  const auto by = static_cast<Texel>(light);
  const Texel red_blue = ((texel & 0x00ff00ff) * by >> 8) & 0x00ff00ff;
  const Texel green = ((texel & 0x0000ff00) * by >> 8) & 0x0000ff00;
  return red_blue | green;
}

/// The rows of a picture that lie equally far above and below its horizon, which show the ceiling
/// and the floor at the same places.
struct MirroredRows {
  std::array<Texel, kViewSize> above;
  std::array<Texel, kViewSize> below;
};

/// All that rows are drawn from.
struct Scene {
  const Columns* columns;
  const Texel* texels;
  const std::int32_t* surfaces;
  std::int32_t size;
  std::int32_t ceiling;  // the place of its first texel
};

/// The part of the floor that a row shows: its left end, and the way to the next column's place.
struct FloorLine {
  Fixed x, y, step_x, step_y;
  std::int32_t light;
};

FloorLine floor_line(const Columns& columns, const Agent& agent, std::int32_t row) {
  const Fixed depth = kCellPixels * kOne / (2 * row + 1);
  const auto step = [&](const auto& ray) {
    return static_cast<Fixed>(times(depth, ray.back() - ray.front()) / (kViewSize - 1));
  };
  return {.x = agent.x + static_cast<Fixed>(times(depth, columns.ray_x.front())),
          .y = agent.y + static_cast<Fixed>(times(depth, columns.ray_y.front())),
          .step_x = step(columns.ray_x),
          .step_y = step(columns.ray_y),
          .light = light_at(depth)};
}

/// Draws two rows without a branch, so that the compiler can vectorise the loop.
[[gnu::always_inline]] inline MirroredRows draw_rows(const Scene& scene, const FloorLine& line,
                                                     std::int32_t row) {
  MirroredRows rows;
  const auto& columns = *scene.columns;
  const Texel* const texels = scene.texels;
  const std::int32_t* const surfaces = scene.surfaces;
  const std::int32_t size = scene.size;
  for (std::int32_t column = 0; column < kViewSize; ++column) {
    // Texels of the wall between the horizon and this row.
    const Fixed height = (2 * row + 1) * columns.half_row[column];
    const std::int32_t middle = columns.texels[column] + kTexels / 2 * kTexels;
    const std::int32_t wall_light = columns.light[column];
    const bool wall = height < kTexels / 2 * kOne;
    const std::int32_t along = height >> kFixedBits;
    const Fixed x = line.x + column * line.step_x;
    const Fixed y = line.y + column * line.step_y;
    // Floor behind a wall may lie outside of the maze.
    const std::int32_t cell_x = std::clamp(x >> kFixedBits, 0, size - 1);
    const std::int32_t cell_y = std::clamp(y >> kFixedBits, 0, size - 1);
    const std::int32_t texel =
        (y >> kTexelBits & (kTexels - 1)) * kTexels + (x >> kTexelBits & (kTexels - 1));
    const std::int32_t floor = surfaces[cell_y * size + cell_x] * kTextureTexels + texel;
    const std::int32_t ceiling = scene.ceiling + texel;
    const std::int32_t light = wall ? wall_light : line.light;
    const std::int32_t below = wall ? middle + along * kTexels : floor;
    const std::int32_t above = wall ? middle - (along + 1) * kTexels : ceiling;
    rows.below[column] = shade(texels[below], light);
    rows.above[column] = shade(texels[above], light);
  }
  return rows;
}

[[gnu::always_inline]] inline void put_row(const std::array<Texel, kViewSize>& row,
                                           std::byte* pixels) {
  for (std::int32_t column = 0; column < kViewSize; ++column) {
    const auto texel = row[static_cast<std::size_t>(column)];
    pixels[column] = static_cast<std::byte>(texel);
    pixels[kPixels + column] = static_cast<std::byte>(texel >> 8);
    pixels[2 * kPixels + column] = static_cast<std::byte>(texel >> 16);
  }
}

}  // namespace

Columns cast_rays(const Maze& maze, const Agent& agent) {
  Columns columns;
  const Fixed east = cosine(agent.angle);
  const Fixed south = sine(agent.angle);
  for (std::int32_t column = 0; column < kViewSize; ++column) {
    const auto at = static_cast<std::size_t>(column);
    // From -1 at the left edge of the picture to 1 at the right.
    const Fixed aside = (2 * column + 1 - kViewSize) * kOne / kViewSize;
    const auto ray_x = static_cast<Fixed>(east - times(aside, south));
    const auto ray_y = static_cast<Fixed>(south + times(aside, east));
    const auto hit = first_wall(maze, agent, ray_x, ray_y);
    columns.ray_x[at] = ray_x;
    columns.ray_y[at] = ray_y;
    columns.depth[at] = static_cast<Fixed>(hit.depth);
    columns.half_row[at] = columns.depth[at] * (kTexels / 4) / (kCellPixels / 2);
    columns.texels[at] = maze.surfaces[maze.index(hit.cell)] * kTextureTexels +
                         texel_across(hit, agent, ray_x, ray_y);
    // Walls of the two directions differ in brightness, so that corners can be seen.
    columns.light[at] = light_at(columns.depth[at]) * (hit.along_x ? 16 : 12) / 16;
  }
  return columns;
}

void draw_view(const World& world, std::span<std::byte> frame) {
  const auto& maze = world.maze();
  const auto columns = cast_rays(maze, world.agent());
  const Scene scene{.columns = &columns,
                    .texels = all_texels().data(),
                    .surfaces = maze.surfaces.data(),
                    .size = maze.size,
                    .ceiling = maze.ceiling * kTextureTexels};
  vectorise([&scene, &world, pixels = frame.data()] {
    for (std::int32_t row = 0; row < kRows; ++row) {
      const auto line = floor_line(*scene.columns, world.agent(), row);
      const auto rows = draw_rows(scene, line, row);
      put_row(rows.above, pixels + std::ptrdiff_t{kViewSize} * (kRows - 1 - row));
      put_row(rows.below, pixels + std::ptrdiff_t{kViewSize} * (kRows + row));
    }
  });
  draw_sprites(world, columns, frame);
}

}  // namespace tandem::labyrinth
