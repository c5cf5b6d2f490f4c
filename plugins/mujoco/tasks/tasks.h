// The tasks of each domain; each function is in a file of the domain's name. Pure, thread-safe.
#pragma once

#include <vector>

#include "suite.h"

namespace tandem::mujoco {

std::vector<TaskInfo> cartpole_tasks();
std::vector<TaskInfo> cheetah_tasks();
std::vector<TaskInfo> hopper_tasks();
std::vector<TaskInfo> humanoid_tasks();
std::vector<TaskInfo> manipulator_tasks();
std::vector<TaskInfo> pendulum_tasks();
std::vector<TaskInfo> point_mass_tasks();
std::vector<TaskInfo> reacher_tasks();
std::vector<TaskInfo> walker_tasks();

}  // namespace tandem::mujoco
