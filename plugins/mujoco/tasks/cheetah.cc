// A two-legged runner in the plane.
#include "joints.h"
#include "lookup.h"
#include "tasks/tasks.h"
#include "tolerance.h"

namespace tandem::mujoco {
namespace {

constexpr double kRunSpeed = 10;     // metres per second
constexpr int kStepsToSettle = 200;  // of the physics, before an episode

class Cheetah : public Task {
 public:
  explicit Cheetah(const mjModel& model) : speed_(find_sensor(model, "torso_subtreelinvel")) {}

  void start(Physics& physics, Stream& stream) const override {
    const mjModel& model = physics.model();
    for (int joint = 0; joint < model.njnt; ++joint) {
      if (model.jnt_limited[joint] == 0) continue;
      const auto range = entries<2>(model.jnt_range, joint);
      physics.data().qpos[model.jnt_qposadr[joint]] = uniform(stream, range[0], range[1]);
    }
    physics.step(kStepsToSettle);
    physics.data().time = 0;
  }

  void observe(const Physics& physics, Features& features) const override {
    features.add(physics.position()[1]);  // its height; without its place along the track
    features.add_unbounded_angle(physics.position()[2]);  // its pitch
    features.add(physics.position().subspan(3));
    features.add(physics.velocity());
  }

  [[nodiscard]] double reward(const Physics& physics) const override {
    return tolerance(physics.data().sensordata[speed_], {.lower = kRunSpeed,
                                                         .upper = kInfinity,
                                                         .margin = kRunSpeed,
                                                         .sigmoid = Sigmoid::linear,
                                                         .value_at_margin = 0});
  }

 private:
  int speed_;
};

}  // namespace

std::vector<TaskInfo> cheetah_tasks() {
  return {{.name = "cheetah-run",
           .file = "cheetah.xml",
           .seconds = 10,
           .make = [](const mjModel& model) -> std::unique_ptr<Task> {
             return std::make_unique<Cheetah>(model);
           }}};
}

}  // namespace tandem::mujoco
