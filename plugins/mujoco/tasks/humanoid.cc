// A humanoid with 21 joints.
#include <array>
#include <cmath>

#include "joints.h"
#include "lookup.h"
#include "tasks/reading.h"
#include "tasks/tasks.h"
#include "tolerance.h"

namespace tandem::mujoco {
namespace {

constexpr double kStandHeight = 1.4;  // metres from the floor to the head
constexpr int kRootNumbers = 7;       // place and orientation of the whole body

// Speeds in metres per second; 0: only standing counts.
constexpr int kStand = 0;
constexpr int kWalk = 1;
constexpr int kRun = 10;

class Humanoid : public Task {
 public:
  Humanoid(const mjModel& model, double move_speed)
      : move_speed_(move_speed),
        torso_(find_part(model, mjOBJ_BODY, "torso")),
        head_(find_part(model, mjOBJ_BODY, "head")),
        limbs_{find_part(model, mjOBJ_BODY, "left_hand"), find_part(model, mjOBJ_BODY, "left_foot"),
               find_part(model, mjOBJ_BODY, "right_hand"),
               find_part(model, mjOBJ_BODY, "right_foot")},
        velocity_(find_sensor(model, "torso_subtreelinvel")) {}

  void start(Physics& physics, Stream& stream) const override {
    do {
      randomize_joints(physics, stream);
      physics.forward();
    } while (physics.data().ncon > 0);
  }

  void observe(const Physics& physics, Features& features) const override {
    const mjData& data = physics.data();
    features.add(physics.position().subspan(kRootNumbers));
    features.add(place(data, head_)[2]);
    for (const int limb : limbs_) add_from_torso(data, limb, features);
    for (const Entry entry : {zx, zy, zz}) features.add(rotation(data, torso_, entry));
    features.add({data.sensordata + velocity_, 3});
    features.add(physics.velocity());
  }

  [[nodiscard]] double reward(const Physics& physics) const override {
    const mjData& data = physics.data();
    const double standing =
        tolerance(place(data, head_)[2],
                  {.lower = kStandHeight, .upper = kInfinity, .margin = kStandHeight / 4});
    const double upright = tolerance(rotation(data, torso_, zz), {.lower = 0.9,
                                                                  .upper = kInfinity,
                                                                  .margin = 1.9,
                                                                  .sigmoid = Sigmoid::linear,
                                                                  .value_at_margin = 0});
    const double stand = standing * upright;
    const double gentle = (4 + small_control(physics)) / 5;
    const double x = data.sensordata[velocity_];
    const double y = data.sensordata[velocity_ + 1];
    if (move_speed_ == 0) {
      const double still = (tolerance(x, {.margin = 2}) + tolerance(y, {.margin = 2})) / 2;
      return gentle * stand * still;
    }
    const double move = tolerance(std::sqrt(x * x + y * y), {.lower = move_speed_,
                                                             .upper = kInfinity,
                                                             .margin = move_speed_,
                                                             .sigmoid = Sigmoid::linear,
                                                             .value_at_margin = 0});
    return gentle * stand * (5 * move + 1) / 6;
  }

 private:
  /// Adds the place of a limb in the torso's coordinates.
  void add_from_torso(const mjData& data, int limb, Features& features) const {
    std::array<double, 3> distance;
    std::array<double, 3> seen;
    mju_sub3(distance.data(), place(data, limb).data(), place(data, torso_).data());
    mju_mulMatTVec3(seen.data(), entries<9>(data.xmat, torso_).data(), distance.data());
    features.add(seen);
  }

  double move_speed_;
  int torso_;
  int head_;
  std::array<int, 4> limbs_;
  int velocity_;
};

template <int kSpeed>
TaskInfo task(const char* name) {
  return {.name = name,
          .file = "humanoid.xml",
          .seconds = 25,
          .control_timestep = 0.025,
          .make = [](const mjModel& model) -> std::unique_ptr<Task> {
            return std::make_unique<Humanoid>(model, kSpeed);
          }};
}

}  // namespace

std::vector<TaskInfo> humanoid_tasks() {
  return {task<kRun>("humanoid-run"), task<kStand>("humanoid-stand"), task<kWalk>("humanoid-walk")};
}

}  // namespace tandem::mujoco
