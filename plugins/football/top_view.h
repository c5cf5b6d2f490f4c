// Pictures of the pitch from above.
#pragma once

#include "game.h"
#include "tandem/env/env.h"

namespace tandem::football {

/// Draws the pitch with its lines, the teams (agents' players with a ring) and the ball, whose size
/// grows with its height. The score stands at the top.
[[nodiscard]] Picture draw_top_view(const Situation& situation, int width, int height);

}  // namespace tandem::football
