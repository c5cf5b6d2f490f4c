// Random numbers and poses for the start of an episode.
#pragma once

#include "physics.h"
#include "tandem/base/random.h"

namespace tandem::mujoco {

/// Uniform in [low, high). Draws from `stream`, like all here.
double uniform(Stream& stream, double low, double high);

/// Draws the position of every joint: hinges and slides within their limits, hinges without limits
/// from a whole turn, the orientations of ball and free joints. Slides without limits and the place
/// of free joints stay. One thread at a time, by `physics`.
void randomize_joints(Physics& physics, Stream& stream);

}  // namespace tandem::mujoco
