// A mass in the plane that two motors should pull to the target in the middle.
#include <array>
#include <cmath>

#include "joints.h"
#include "lookup.h"
#include "tasks/reading.h"
#include "tasks/tasks.h"
#include "tolerance.h"

namespace tandem::mujoco {
namespace {

using Direction = std::array<double, 2>;

Direction draw_direction(Stream& stream) {
  Direction direction{stream.normal(), stream.normal()};
  const double length = std::hypot(direction[0], direction[1]);
  for (double& value : direction) value /= length;
  return direction;
}

double alignment(const Direction& one, const Direction& other) {
  return std::abs(one[0] * other[0] + one[1] * other[1]);
}

/// In the hard task each motor pulls in a random direction, which the observation does not show.
class PointMass : public Task {
 public:
  PointMass(const mjModel& model, bool random_directions)
      : random_directions_(random_directions),
        mass_(find_part(model, mjOBJ_GEOM, "pointmass")),
        target_(find_part(model, mjOBJ_GEOM, "target")) {}

  [[nodiscard]] std::vector<std::span<double>> drawn_numbers(mjModel& model) const override {
    if (!random_directions_) return {};
    return {{model.wrap_prm, 4}};
  }

  void start(Physics& physics, Stream& stream) const override {
    randomize_joints(physics, stream);
    if (!random_directions_) return;
    const auto first = draw_direction(stream);
    auto second = draw_direction(stream);
    while (alignment(first, second) > 0.9) second = draw_direction(stream);
    double* joints_of_motors = physics.own_model().wrap_prm;
    joints_of_motors[0] = first[0];
    joints_of_motors[1] = first[1];
    joints_of_motors[2] = second[0];
    joints_of_motors[3] = second[1];
  }

  void observe(const Physics& physics, Features& features) const override {
    features.add(physics.position());
    features.add(physics.velocity());
  }

  [[nodiscard]] double reward(const Physics& physics) const override {
    const double size = entries<3>(physics.model().geom_size, target_)[0];
    const double* places = physics.data().geom_xpos;
    const double distance =
        mju_dist3(entries<3>(places, target_).data(), entries<3>(places, mass_).data());
    const double near = tolerance(distance, {.upper = size, .margin = size});
    return near * (small_control(physics) + 4) / 5;
  }

 private:
  bool random_directions_;
  int mass_;
  int target_;
};

template <bool kRandomDirections>
TaskInfo task(const char* name) {
  return {.name = name,
          .file = "point_mass.xml",
          .seconds = 20,
          .make = [](const mjModel& model) -> std::unique_ptr<Task> {
            return std::make_unique<PointMass>(model, kRandomDirections);
          }};
}

}  // namespace

std::vector<TaskInfo> point_mass_tasks() {
  return {task<false>("point_mass-easy"), task<true>("point_mass-hard")};
}

}  // namespace tandem::mujoco
