// The observation "super mini map".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "game.h"

namespace tandem::football {

/// The mini map's size, as in the package: four planes, in each of which a few pixels are 255.
struct Minimap {
  static constexpr std::int64_t kPlanes = 4;  // left team, right team, ball, the agent's player
  static constexpr std::int64_t kHeight = 72;
  static constexpr std::int64_t kWidth = 96;
};

/// Draws what one agent sees, {4, 72, 96} bytes (Kurach et al. 2019, section 3.1;
/// observation_preprocessing.py of the package). `agent` indexes situation.controlled.
void draw_minimap(const Situation& situation, std::int64_t agent, std::span<std::byte> frame);

}  // namespace tandem::football
