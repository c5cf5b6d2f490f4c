// Readings of a world that several tasks use.
#pragma once

#include <span>

#include "lookup.h"
#include "physics.h"

namespace tandem::mujoco {

/// Entries of a 3 x 3 rotation matrix: the first letter is the row (an axis of the world), the
/// second the column (an axis of the body).
enum Entry { xx, xy, xz, yx, yy, yz, zx, zy, zz };

/// An entry of a body's rotation. Pure.
inline double rotation(const mjData& data, int body, Entry entry) {
  return entries<9>(data.xmat, body)[entry];
}

/// A body's place, {x, y, z}. Pure.
inline std::span<const double, 3> place(const mjData& data, int body) {
  return entries<3>(data.xpos, body);
}

/// The mean over the actuators of a value that falls quadratically from 1 without control to 0 at a
/// control of 1. Pure.
double small_control(const Physics& physics);

}  // namespace tandem::mujoco
