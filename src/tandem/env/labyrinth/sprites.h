// Apples and the portal in the picture of an agent.
#pragma once

#include <cstddef>
#include <span>

#include "tandem/env/labyrinth/view.h"

namespace tandem::labyrinth {

/// Draws the portal and all ripe apples over the walls of `columns`, as far as no wall hides them.
/// They always face the agent. `frame` is that of draw_view(). Allocates nothing; thread-safe.
void draw_sprites(const World& world, const Columns& columns, std::span<std::byte> frame);

}  // namespace tandem::labyrinth
