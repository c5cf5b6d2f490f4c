#include "suite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tandem/base/error.h"
#include "tandem/base/nearest.h"
#include "tasks/tasks.h"

namespace tandem::mujoco {

std::vector<TaskInfo> suite_tasks() {
  std::vector<TaskInfo> tasks;
  const auto append = [&](std::vector<TaskInfo> more) {
    std::ranges::move(more, std::back_inserter(tasks));
  };
  append(cartpole_tasks());
  append(cheetah_tasks());
  append(hopper_tasks());
  append(humanoid_tasks());
  append(manipulator_tasks());
  append(pendulum_tasks());
  append(point_mass_tasks());
  append(reacher_tasks());
  append(walker_tasks());
  std::ranges::sort(tasks, {}, &TaskInfo::name);
  return tasks;
}

TaskInfo find_task(const std::string& name) {
  const auto tasks = suite_tasks();
  const auto found = std::ranges::find(tasks, name, &TaskInfo::name);
  if (found != tasks.end()) return *found;
  std::vector<std::string> names;
  names.reserve(tasks.size());
  for (const auto& task : tasks) names.push_back(task.name);
  const auto likely = nearest(name, names);
  throw Error(fmt::format("there is no MuJoCo task '{}'; {}there are {}", name,
                          likely.empty() ? "" : fmt::format("did you mean '{}'? ", likely),
                          fmt::join(names, ", ")));
}

}  // namespace tandem::mujoco
