// A two-legged walker in the plane.
#include "joints.h"
#include "lookup.h"
#include "tasks/reading.h"
#include "tasks/tasks.h"
#include "tolerance.h"

namespace tandem::mujoco {
namespace {

constexpr double kStandHeight = 1.2;  // metres from the floor to the torso

// Speeds in metres per second; 0: only standing counts.
constexpr int kStand = 0;
constexpr int kWalk = 1;
constexpr int kRun = 8;

class Walker : public Task {
 public:
  Walker(const mjModel& model, double move_speed)
      : move_speed_(move_speed),
        torso_(find_part(model, mjOBJ_BODY, "torso")),
        speed_(find_sensor(model, "torso_subtreelinvel")) {}

  void start(Physics& physics, Stream& stream) const override { randomize_joints(physics, stream); }

  void observe(const Physics& physics, Features& features) const override {
    const mjData& data = physics.data();
    for (int body = 1; body < physics.model().nbody; ++body) {
      features.add(rotation(data, body, xx));
      features.add(rotation(data, body, xz));
    }
    features.add(place(data, torso_)[2]);
    features.add(physics.velocity());
  }

  [[nodiscard]] double reward(const Physics& physics) const override {
    const mjData& data = physics.data();
    const double standing =
        tolerance(place(data, torso_)[2],
                  {.lower = kStandHeight, .upper = kInfinity, .margin = kStandHeight / 2});
    const double upright = (1 + rotation(data, torso_, zz)) / 2;
    const double stand = (3 * standing + upright) / 4;
    if (move_speed_ == 0) return stand;
    const double move = tolerance(data.sensordata[speed_], {.lower = move_speed_,
                                                            .upper = kInfinity,
                                                            .margin = move_speed_ / 2,
                                                            .sigmoid = Sigmoid::linear,
                                                            .value_at_margin = 0.5});
    return stand * (5 * move + 1) / 6;
  }

 private:
  double move_speed_;
  int torso_;
  int speed_;
};

template <int kSpeed>
TaskInfo task(const char* name) {
  return {.name = name,
          .file = "walker.xml",
          .seconds = 25,
          .control_timestep = 0.025,
          .make = [](const mjModel& model) -> std::unique_ptr<Task> {
            return std::make_unique<Walker>(model, kSpeed);
          }};
}

}  // namespace

std::vector<TaskInfo> walker_tasks() {
  return {task<kRun>("walker-run"), task<kStand>("walker-stand"), task<kWalk>("walker-walk")};
}

}  // namespace tandem::mujoco
