// Plays a task, in double precision.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "physics.h"
#include "suite.h"
#include "tandem/base/random.h"
#include "tandem/base/state.h"
#include "task.h"

namespace tandem::mujoco {

/// The result of a step. No task of the suite ends before its time, so the discount is always 1.
struct Outcome {
  double reward = 0;
  bool out_of_time = false;
  bool diverged = false;  // the simulation became invalid; the observation is the previous one
};

/// Plays episodes of a task. States, observations and rewards equal those of dm_control after the
/// same start and controls. No allocation in step(). One thread at a time uses an instance.
class Simulation {
 public:
  Simulation(const TaskInfo& info, const std::shared_ptr<const mjModel>& model,
             Turns turns = Turns::counted);

  [[nodiscard]] const Physics& physics() const { return physics_; }
  [[nodiscard]] double control_timestep() const;  // seconds
  [[nodiscard]] std::span<const double> observation() const { return features_.values(); }

  void reset(Stream& stream);

  /// Starts an episode in a given state instead of a random one.
  void reset(std::span<const double> state);

  /// The numbers that determine the future, except the count of steps: the state of Physics, then
  /// the numbers of the model that the task sets.
  [[nodiscard]] std::vector<double> state() const;

  Outcome step(std::span<const float> control);

  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  [[nodiscard]] std::size_t state_size() const;
  void set_state(std::span<const double> state);
  void observe();

  std::unique_ptr<Task> task_;
  Physics physics_;
  std::vector<std::span<double>> drawn_;  // the numbers of the model that the task sets
  int substeps_;
  double step_limit_;
  std::int64_t steps_ = 0;
  Features features_;
};

}  // namespace tandem::mujoco
