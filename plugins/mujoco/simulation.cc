#include "simulation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tandem/base/error.h"

namespace tandem::mujoco {
namespace {

bool draws_numbers(const Task& task, const mjModel& model) {
  // Only the addresses are needed; nothing is written through them.
  return !task.drawn_numbers(const_cast<mjModel&>(model)).empty();
}

int count_substeps(const TaskInfo& info, const mjModel& model) {
  if (info.control_timestep == 0) return 1;
  return static_cast<int>(std::lround(info.control_timestep / model.opt.timestep));
}

}  // namespace

Simulation::Simulation(const TaskInfo& info, const std::shared_ptr<const mjModel>& model,
                       Turns turns)
    : task_(info.make(*model)),
      physics_(model, draws_numbers(*task_, *model)),
      substeps_(count_substeps(info, *model)),
      step_limit_(info.seconds / control_timestep()),
      features_(turns) {
  if (draws_numbers(*task_, *model)) drawn_ = task_->drawn_numbers(physics_.own_model());
  physics_.reset();
  observe();
}

double Simulation::control_timestep() const { return physics_.model().opt.timestep * substeps_; }

void Simulation::reset(Stream& stream) {
  physics_.reset();
  task_->start(physics_, stream);
  physics_.forward();
  steps_ = 0;
  observe();
}

void Simulation::reset(std::span<const double> state) {
  physics_.reset();
  set_state(state);
  physics_.forward();
  steps_ = 0;
  observe();
}

Outcome Simulation::step(std::span<const float> control) {
  std::ranges::copy(control, physics_.data().ctrl);
  physics_.step(substeps_);
  ++steps_;
  Outcome outcome{.out_of_time = static_cast<double>(steps_) >= step_limit_};
  if (physics_.diverged()) {
    outcome.diverged = true;
    return outcome;
  }
  outcome.reward = task_->reward(physics_);
  observe();
  return outcome;
}

std::vector<double> Simulation::state() const {
  std::vector<double> state(physics_.state_size());
  physics_.state(state);
  for (const auto& numbers : drawn_) state.insert(state.end(), numbers.begin(), numbers.end());
  return state;
}

void Simulation::save(StateWriter& writer) const {
  const auto all = state();
  writer.put_values(all);
  // Touch sensors are computed during a step, so the state alone does not determine the last
  // observation.
  writer.put_bytes(std::as_bytes(features_.values()));
  writer.put(steps_);
}

void Simulation::load(StateReader& reader) {
  const auto state = reader.get_values<double>();
  const auto features = reader.get_values<double>();
  const auto steps = reader.get<std::int64_t>();
  if (state.size() != state_size() || features.size() != features_.values().size()) {
    throw Error("the saved state of the MuJoCo task is damaged or of another task");
  }
  set_state(state);
  features_.clear();
  features_.add(features);
  steps_ = steps;
}

std::size_t Simulation::state_size() const {
  auto size = physics_.state_size();
  for (const auto& numbers : drawn_) size += numbers.size();
  return size;
}

void Simulation::set_state(std::span<const double> state) {
  auto rest = state.subspan(physics_.state_size());
  for (const auto& numbers : drawn_) {
    std::ranges::copy(rest.first(numbers.size()), numbers.begin());
    rest = rest.subspan(numbers.size());
  }
  physics_.set_state(state.first(physics_.state_size()));
}

void Simulation::observe() {
  features_.clear();
  task_->observe(physics_, features_);
}

}  // namespace tandem::mujoco
