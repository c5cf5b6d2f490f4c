// Finds the parts of a model by name, once, before any step.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <span>

namespace tandem::mujoco {

/// The `kSize` numbers of one part in an array of MuJoCo. Pure.
template <std::size_t kSize, class T>
std::span<T, kSize> entries(T* array, int part) {
  return std::span<T, kSize>(array + kSize * static_cast<std::size_t>(part), kSize);
}

/// MuJoCo's id of a body, geom, site, joint or sensor. Pure. Throws Error when the model has no
/// part of that name, because it is then not the model for which the task was written.
int find_part(const mjModel& model, mjtObj kind, const char* name);

/// The index of a joint's position in qpos, or of its velocity in qvel. Throws like find_part.
int find_position(const mjModel& model, const char* joint);
int find_velocity(const mjModel& model, const char* joint);

/// The index of a sensor's first value in sensordata. Throws like find_part.
int find_sensor(const mjModel& model, const char* name);

}  // namespace tandem::mujoco
