// A pendulum whose motor is too weak to lift it at once.
#include <cmath>
#include <numbers>

#include "joints.h"
#include "lookup.h"
#include "tasks/reading.h"
#include "tasks/tasks.h"
#include "tolerance.h"

namespace tandem::mujoco {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kUpright = 8;  // degrees from the vertical

class Pendulum : public Task {
 public:
  explicit Pendulum(const mjModel& model)
      : pole_(find_part(model, mjOBJ_BODY, "pole")), hinge_(find_position(model, "hinge")) {}

  void start(Physics& physics, Stream& stream) const override {
    physics.data().qpos[hinge_] = uniform(stream, -kPi, kPi);
  }

  void observe(const Physics& physics, Features& features) const override {
    features.add(rotation(physics.data(), pole_, zz));
    features.add(rotation(physics.data(), pole_, xz));
    features.add(physics.velocity());
  }

  [[nodiscard]] double reward(const Physics& physics) const override {
    return tolerance(rotation(physics.data(), pole_, zz),
                     {.lower = std::cos(kUpright * kPi / 180), .upper = 1});
  }

 private:
  int pole_;
  int hinge_;
};

}  // namespace

std::vector<TaskInfo> pendulum_tasks() {
  return {{.name = "pendulum-swingup",
           .file = "pendulum.xml",
           .seconds = 20,
           .make = [](const mjModel& model) -> std::unique_ptr<Task> {
             return std::make_unique<Pendulum>(model);
           }}};
}

}  // namespace tandem::mujoco
