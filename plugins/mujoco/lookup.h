// Finds the parts of a model by their names, once, before any step.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <span>

namespace tandem::mujoco {

/// What an array of MuJoCo's holds of one part, `kSize` numbers each. Pure.
template <std::size_t kSize, class T>
std::span<T, kSize> entries(T* array, int part) {
  return std::span<T, kSize>(array + kSize * static_cast<std::size_t>(part), kSize);
}

/// The number of a body, geom, site or joint. Pure. Throws Error when the model has none of that
/// name: it is not the one that the task was written for.
int find_part(const mjModel& model, mjtObj kind, const char* name);

/// Where a joint's position begins in qpos, and its velocity in qvel. As find_part.
int find_position(const mjModel& model, const char* joint);
int find_velocity(const mjModel& model, const char* joint);

/// Where a sensor's values begin in sensordata. As find_part.
int find_sensor(const mjModel& model, const char* name);

}  // namespace tandem::mujoco
