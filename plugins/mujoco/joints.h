// Random numbers and poses for the start of an episode.
#pragma once

#include "physics.h"
#include "tandem/base/random.h"

namespace tandem::mujoco {

/// Uniform in [low, high). Draws from `stream`, like all functions here.
double uniform(Stream& stream, double low, double high);

/// Draws the position of every joint: hinges and slides within their limits, hinges without limits
/// from a whole turn, the orientations of ball and free joints. Slides without limits and the
/// places of free joints stay. Only one thread at a time may use `physics`.
void randomize_joints(Physics& physics, Stream& stream);

}  // namespace tandem::mujoco
