// How bright things are in a labyrinth.
#pragma once

#include <cstdint>

#include "tandem/env/labyrinth/fixed_point.h"

namespace tandem::labyrinth {

/// The share of 256 of its colour that a thing at some depth shows: all of it beside the agent,
/// half of it 8 cells away.
constexpr std::int32_t light_at(Fixed depth) {
  constexpr Fixed kHalfLight = 8 * kOne;
  return 256 * kHalfLight / (kHalfLight + depth);
}

}  // namespace tandem::labyrinth
