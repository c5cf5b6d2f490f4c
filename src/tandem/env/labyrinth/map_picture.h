// The picture of a labyrinth for videos.
#pragma once

#include <span>

#include "tandem/env/env.h"
#include "tandem/env/labyrinth/world.h"

namespace tandem::labyrinth {

/// A place of the agent on its path.
struct Waypoint {
  Fixed x = 0;
  Fixed y = 0;
  bool begins = false;  // whether the agent came here at the beginning or through the portal
};

/// The agent's view on the left, and on the right the map: walls and floors in the colours of their
/// textures, ripe apples red and taken ones gray, the portal blue and white, the part of the maze
/// in view lighter, the agent's path since it was placed last yellow, and its older paths pale.
[[nodiscard]] Picture draw_map(const World& world, std::span<const Waypoint> path);

}  // namespace tandem::labyrinth
