// The list of tasks: dm_control's, under its names.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "task.h"

namespace tandem::mujoco {

/// A task and the world it is played in. Value type.
struct TaskInfo {
  std::string name;                       // "cartpole-swingup"
  std::string file;                       // "cartpole.xml"
  double seconds;                         // an episode's length
  double control_timestep = 0;            // seconds between actions; 0: one step of the physics
  std::vector<const char*> without = {};  // bodies of the file that are left out
  std::unique_ptr<Task> (*make)(const mjModel& model);
};

/// Every task, in alphabetical order of names.
std::vector<TaskInfo> suite_tasks();

/// The task of that name. Throws Error when there is none, offering the nearest.
TaskInfo find_task(const std::string& name);

}  // namespace tandem::mujoco
