// A one-legged hopper in the plane.
#include <cmath>

#include "joints.h"
#include "lookup.h"
#include "tasks/reading.h"
#include "tasks/tasks.h"
#include "tolerance.h"

namespace tandem::mujoco {
namespace {

constexpr double kStandHeight = 0.6;  // metres from the foot to the torso
constexpr double kHopSpeed = 2;       // metres per second

class Hopper : public Task {
 public:
  Hopper(const mjModel& model, bool hopping)
      : hopping_(hopping),
        torso_(find_part(model, mjOBJ_BODY, "torso")),
        foot_(find_part(model, mjOBJ_BODY, "foot")),
        speed_(find_sensor(model, "torso_subtreelinvel")),
        toe_(find_sensor(model, "touch_toe")),
        heel_(find_sensor(model, "touch_heel")) {}

  void start(Physics& physics, Stream& stream) const override { randomize_joints(physics, stream); }

  void observe(const Physics& physics, Features& features) const override {
    features.add(physics.position()[1]);  // its height; without its place along the track
    features.add_unbounded_angle(physics.position()[2]);  // its pitch
    features.add(physics.position().subspan(3));
    features.add(physics.velocity());
    features.add(std::log1p(physics.data().sensordata[toe_]));
    features.add(std::log1p(physics.data().sensordata[heel_]));
  }

  [[nodiscard]] double reward(const Physics& physics) const override {
    const mjData& data = physics.data();
    const double height = entries<3>(data.xipos, torso_)[2] - entries<3>(data.xipos, foot_)[2];
    const double standing = tolerance(height, {.lower = kStandHeight, .upper = 2});
    if (!hopping_) return standing * ((small_control(physics) + 4) / 5);
    return standing * tolerance(data.sensordata[speed_], {.lower = kHopSpeed,
                                                          .upper = kInfinity,
                                                          .margin = kHopSpeed / 2,
                                                          .sigmoid = Sigmoid::linear,
                                                          .value_at_margin = 0.5});
  }

 private:
  bool hopping_;
  int torso_;
  int foot_;
  int speed_;
  int toe_;
  int heel_;
};

template <bool kHopping>
TaskInfo task(const char* name) {
  return {.name = name,
          .file = "hopper.xml",
          .seconds = 20,
          .control_timestep = 0.02,
          .make = [](const mjModel& model) -> std::unique_ptr<Task> {
            return std::make_unique<Hopper>(model, kHopping);
          }};
}

}  // namespace

std::vector<TaskInfo> hopper_tasks() {
  return {task<true>("hopper-hop"), task<false>("hopper-stand")};
}

}  // namespace tandem::mujoco
