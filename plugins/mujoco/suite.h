// The list of tasks, under dm_control's names.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "task.h"

namespace tandem::mujoco {

/// A task and its world. Value type.
struct TaskInfo {
  std::string name;                       // "cartpole-swingup"
  std::string file;                       // "cartpole.xml"
  double seconds;                         // length of an episode
  double control_timestep = 0;            // seconds between actions; 0: one step of the physics
  std::vector<const char*> without = {};  // bodies of the file that are left out
  std::unique_ptr<Task> (*make)(const mjModel& model);
};

/// Every task, in alphabetical order of names.
std::vector<TaskInfo> suite_tasks();

/// The task of that name. Throws Error when there is none, and offers the nearest.
TaskInfo find_task(const std::string& name);

}  // namespace tandem::mujoco
