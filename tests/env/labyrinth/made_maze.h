// Mazes of which a test knows every cell.
#pragma once

#include <string>
#include <vector>

#include "tandem/env/labyrinth/maze.h"

namespace tandem::labyrinth {

/// The maze of a drawing: '#' is a wall, 'o' an apple, 'P' the portal and any other sign free
/// floor. All lines are as long as there are lines.
inline Maze made_maze(const std::vector<std::string>& lines) {
  Maze maze{.size = static_cast<std::int32_t>(lines.size())};
  for (std::int32_t y = 0; y < maze.size; ++y) {
    for (std::int32_t x = 0; x < maze.size; ++x) {
      const char sign = lines[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
      maze.walls.push_back(sign == '#' ? 1 : 0);
      maze.surfaces.push_back(0);
      if (sign == 'o') maze.apples.push_back({x, y});
      if (sign == 'P') maze.portal = {x, y};
      if (sign == ' ') maze.free.push_back({x, y});
    }
  }
  return maze;
}

}  // namespace tandem::labyrinth
