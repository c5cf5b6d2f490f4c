// A planar arm with a hand that brings a ball or a peg to its place.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "joints.h"
#include "lookup.h"
#include "tasks/reading.h"
#include "tasks/tasks.h"
#include "tolerance.h"

namespace tandem::mujoco {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kClose = 0.01;   // metres
constexpr double kPInHand = 0.1;  // probability that an episode starts with the object in the hand
constexpr double kPInTarget = 0.1;  // probability that it starts with the object in its place

constexpr std::array kArmJoints = {"arm_root", "arm_shoulder", "arm_elbow", "arm_wrist",
                                   "finger",   "fingertip",    "thumb",     "thumbtip"};
constexpr int kFinger = 4;  // index in kArmJoints
constexpr int kThumb = 6;
constexpr std::array kTouchSensors = {"palm_touch", "finger_touch", "thumb_touch",
                                      "fingertip_touch", "thumbtip_touch"};

enum class Object { ball, peg };
enum class Goal { bring, insert };  // to a place in the air, or into a cup or slot

/// The place of the object, or of its target, in the plane of the arm.
struct Pose {
  double x = 0;
  double z = 0;
  double angle = 0;
};

class Manipulator : public Task {
 public:
  Manipulator(const mjModel& model, Object object, Goal goal);

  [[nodiscard]] std::vector<std::span<double>> drawn_numbers(mjModel& model) const override;
  void start(Physics& physics, Stream& stream) const override;
  void observe(const Physics& physics, Features& features) const override;
  [[nodiscard]] double reward(const Physics& physics) const override;

 private:
  struct Joint {
    int position;
    int velocity;
    double low;
    double high;
  };

  void draw_arm(mjData& data, Stream& stream) const;
  Pose draw_target(mjModel& model, Stream& stream) const;
  Pose draw_object(Physics& physics, const Pose& target, Stream& stream) const;
  [[nodiscard]] Pose grasp_pose(const mjData& data) const;
  static double nearness(const mjData& data, const std::array<int, 2>& sites);

  Object object_kind_;
  std::array<Joint, kArmJoints.size()> arm_;
  std::array<int, kTouchSensors.size()> touch_;
  std::array<Joint, 3> object_joints_;  // x, z, angle
  int hand_;
  int object_;
  int target_;
  int receptacle_ = -1;  // a cup or slot, if there is one
  int grasp_;            // a site

  // Pairs of sites that should meet.
  std::array<int, 2> place_;
  std::array<int, 2> tip_{};    // of the peg
  std::array<int, 2> held_{};   // by the palm
  std::array<int, 2> pinch_{};  // by the fingers
};

Manipulator::Manipulator(const mjModel& model, Object object, Goal goal)
    : object_kind_(object),
      hand_(find_part(model, mjOBJ_BODY, "hand")),
      grasp_(find_part(model, mjOBJ_SITE, "grasp")) {
  const auto find_joint = [&](const char* name) {
    const int id = find_part(model, mjOBJ_JOINT, name);
    const bool limited = model.jnt_limited[id] != 0;
    const auto range = entries<2>(model.jnt_range, id);
    return Joint{.position = model.jnt_qposadr[id],
                 .velocity = model.jnt_dofadr[id],
                 .low = limited ? range[0] : -kPi,
                 .high = limited ? range[1] : kPi};
  };
  const auto sites = [&](const char* one, const char* other) {
    return std::array{find_part(model, mjOBJ_SITE, one), find_part(model, mjOBJ_SITE, other)};
  };
  std::ranges::transform(kArmJoints, arm_.begin(), find_joint);
  std::ranges::transform(kTouchSensors, touch_.begin(),
                         [&](const char* name) { return find_sensor(model, name); });
  const bool peg = object == Object::peg;
  const std::string name = peg ? "peg" : "ball";
  const std::string target = "target_" + name;
  object_joints_ = {find_joint((name + "_x").c_str()), find_joint((name + "_z").c_str()),
                    find_joint((name + "_y").c_str())};
  object_ = find_part(model, mjOBJ_BODY, name.c_str());
  target_ = find_part(model, mjOBJ_BODY, target.c_str());
  if (goal == Goal::insert) receptacle_ = find_part(model, mjOBJ_BODY, peg ? "slot" : "cup");
  place_ = sites(name.c_str(), target.c_str());
  if (!peg) return;
  tip_ = sites("target_peg_tip", "peg_tip");
  held_ = sites("peg_grasp", "grasp");
  pinch_ = sites("peg_pinch", "pinch");
}

std::vector<std::span<double>> Manipulator::drawn_numbers(mjModel& model) const {
  std::vector<std::span<double>> numbers;
  for (const int body : {target_, receptacle_}) {
    if (body < 0) continue;
    numbers.emplace_back(entries<3>(model.body_pos, body));
    numbers.emplace_back(entries<4>(model.body_quat, body));
  }
  return numbers;
}

void Manipulator::start(Physics& physics, Stream& stream) const {
  mjData& data = physics.data();
  do {
    draw_arm(data, stream);
    const auto target = draw_target(physics.own_model(), stream);
    const auto object = draw_object(physics, target, stream);
    data.qpos[object_joints_[0].position] = object.x;
    data.qpos[object_joints_[1].position] = object.z;
    data.qpos[object_joints_[2].position] = object.angle;
    physics.forward();
  } while (data.ncon > 0);
}

void Manipulator::draw_arm(mjData& data, Stream& stream) const {
  for (const auto& joint : arm_) {
    data.qpos[joint.position] = uniform(stream, joint.low, joint.high);
  }
  data.qpos[arm_[kFinger].position] = data.qpos[arm_[kThumb].position];
}

Pose Manipulator::draw_target(mjModel& model, Stream& stream) const {
  const double most = receptacle_ >= 0 ? kPi / 3 : kPi;
  const Pose pose{.x = uniform(stream, -0.4, 0.4),
                  .z = uniform(stream, 0.1, 0.4),
                  .angle = uniform(stream, -most, most)};
  for (const int body : {target_, receptacle_}) {
    if (body < 0) continue;
    const auto place = entries<3>(model.body_pos, body);
    place[0] = pose.x;
    place[2] = pose.z;
    const auto orientation = entries<4>(model.body_quat, body);
    orientation[0] = std::cos(pose.angle / 2);
    orientation[2] = std::sin(pose.angle / 2);
  }
  return pose;
}

Pose Manipulator::draw_object(Physics& physics, const Pose& target, Stream& stream) const {
  const double kind = stream.uniform();
  if (kind < kPInHand) {
    physics.forward();
    return grasp_pose(physics.data());
  }
  if (kind < kPInHand + kPInTarget) return target;
  const Pose pose{.x = uniform(stream, -0.5, 0.5),
                  .z = uniform(stream, 0, 0.7),
                  .angle = uniform(stream, 0, 2 * kPi)};
  physics.data().qvel[object_joints_[0].velocity] = uniform(stream, -5, 5);
  return pose;
}

Pose Manipulator::grasp_pose(const mjData& data) const {
  const auto place = entries<3>(data.site_xpos, grasp_);
  const auto rotation = entries<9>(data.site_xmat, grasp_);
  return {.x = place[0], .z = place[2], .angle = kPi - std::atan2(rotation[zx], rotation[xx])};
}

void Manipulator::observe(const Physics& physics, Features& features) const {
  const mjData& data = physics.data();
  const auto add_pose = [&](int body) {
    features.add(place(data, body)[0]);
    features.add(place(data, body)[2]);
    features.add(entries<4>(data.xquat, body)[0]);
    features.add(entries<4>(data.xquat, body)[2]);
  };
  for (const auto& joint : arm_) {
    features.add(std::sin(data.qpos[joint.position]));
    features.add(std::cos(data.qpos[joint.position]));
  }
  for (const auto& joint : arm_) features.add(data.qvel[joint.velocity]);
  for (const int sensor : touch_) features.add(std::log1p(data.sensordata[sensor]));
  add_pose(hand_);
  add_pose(object_);
  for (const auto& joint : object_joints_) features.add(data.qvel[joint.velocity]);
  add_pose(target_);
}

double Manipulator::nearness(const mjData& data, const std::array<int, 2>& sites) {
  const double distance = mju_dist3(entries<3>(data.site_xpos, sites[0]).data(),
                                    entries<3>(data.site_xpos, sites[1]).data());
  return tolerance(distance, {.upper = kClose, .margin = 2 * kClose});
}

double Manipulator::reward(const Physics& physics) const {
  const mjData& data = physics.data();
  if (object_kind_ == Object::ball) return nearness(data, place_);
  const double grasping = (nearness(data, held_) + nearness(data, pinch_)) / 2;
  const double bringing = (nearness(data, place_) + nearness(data, tip_)) / 2;
  return std::max(bringing, grasping / 3);
}

template <Object kObject, Goal kGoal>
TaskInfo task(const char* name, const std::vector<const char*>& without) {
  return {.name = name,
          .file = "manipulator.xml",
          .seconds = 10,
          .control_timestep = 0.01,
          .without = without,
          .make = [](const mjModel& model) -> std::unique_ptr<Task> {
            return std::make_unique<Manipulator>(model, kObject, kGoal);
          }};
}

}  // namespace

std::vector<TaskInfo> manipulator_tasks() {
  return {
      task<Object::ball, Goal::bring>("manipulator-bring_ball",
                                      {"cup", "peg", "target_peg", "slot"}),
      task<Object::peg, Goal::bring>("manipulator-bring_peg",
                                     {"ball", "target_ball", "cup", "slot"}),
      task<Object::ball, Goal::insert>("manipulator-insert_ball", {"peg", "target_peg", "slot"}),
      task<Object::peg, Goal::insert>("manipulator-insert_peg", {"ball", "target_ball", "cup"})};
}

}  // namespace tandem::mujoco
