// An arm of two links in the plane that should touch a target.
#include <cmath>
#include <numbers>

#include "joints.h"
#include "lookup.h"
#include "tasks/tasks.h"
#include "tolerance.h"

namespace tandem::mujoco {
namespace {

constexpr int kBigTarget = 50;  // millimetres
constexpr int kSmallTarget = 15;

class Reacher : public Task {
 public:
  Reacher(const mjModel& model, int target_size)
      : target_size_(target_size / 1000.0),
        finger_(find_part(model, mjOBJ_GEOM, "finger")),
        target_(find_part(model, mjOBJ_GEOM, "target")) {}

  [[nodiscard]] std::vector<std::span<double>> drawn_numbers(mjModel& model) const override {
    return {entries<3>(model.geom_pos, target_).first<2>(),
            entries<3>(model.geom_size, target_).first<1>()};
  }

  void start(Physics& physics, Stream& stream) const override {
    mjModel& model = physics.own_model();
    entries<3>(model.geom_size, target_)[0] = target_size_;
    randomize_joints(physics, stream);
    const double angle = uniform(stream, 0, 2 * std::numbers::pi);
    const double radius = uniform(stream, 0.05, 0.2);
    const auto target = entries<3>(model.geom_pos, target_);
    target[0] = radius * std::sin(angle);
    target[1] = radius * std::cos(angle);
  }

  void observe(const Physics& physics, Features& features) const override {
    features.add_unbounded_angle(physics.position()[0]);  // of the shoulder
    features.add(physics.position().subspan(1));
    features.add(to_target(physics, 0));
    features.add(to_target(physics, 1));
    features.add(physics.velocity());
  }

  [[nodiscard]] double reward(const Physics& physics) const override {
    const double* sizes = physics.model().geom_size;
    const double x = to_target(physics, 0);
    const double y = to_target(physics, 1);
    return tolerance(std::sqrt(x * x + y * y),
                     {.upper = entries<3>(sizes, target_)[0] + entries<3>(sizes, finger_)[0]});
  }

 private:
  [[nodiscard]] double to_target(const Physics& physics, int axis) const {
    const double* places = physics.data().geom_xpos;
    return entries<3>(places, target_)[axis] - entries<3>(places, finger_)[axis];
  }

  double target_size_;
  int finger_;
  int target_;
};

template <int kTargetSize>
TaskInfo task(const char* name) {
  return {.name = name,
          .file = "reacher.xml",
          .seconds = 20,
          .make = [](const mjModel& model) -> std::unique_ptr<Task> {
            return std::make_unique<Reacher>(model, kTargetSize);
          }};
}

}  // namespace

std::vector<TaskInfo> reacher_tasks() {
  return {task<kBigTarget>("reacher-easy"), task<kSmallTarget>("reacher-hard")};
}

}  // namespace tandem::mujoco
