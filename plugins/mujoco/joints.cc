#include "joints.h"

#include <array>
#include <cmath>
#include <numbers>

#include "lookup.h"

namespace tandem::mujoco {
namespace {

constexpr double kPi = std::numbers::pi;

void draw_limited_rotation(Stream& stream, double limit, double* quaternion) {
  std::array<double, 3> axis{stream.normal(), stream.normal(), stream.normal()};
  mju_normalize3(axis.data());
  mju_axisAngle2Quat(quaternion, axis.data(), uniform(stream, 0, limit));
}

}  // namespace

double uniform(Stream& stream, double low, double high) {
  return low + (high - low) * static_cast<double>(stream.uniform());
}

void randomize_joints(Physics& physics, Stream& stream) {
  const mjModel& model = physics.model();
  for (int joint = 0; joint < model.njnt; ++joint) {
    double* position = physics.data().qpos + model.jnt_qposadr[joint];
    const auto range = entries<2>(model.jnt_range, joint);
    const bool limited = model.jnt_limited[joint] != 0;
    switch (model.jnt_type[joint]) {
      case mjJNT_SLIDE:
        if (limited) *position = uniform(stream, range[0], range[1]);
        break;
      case mjJNT_HINGE:
        *position = limited ? uniform(stream, range[0], range[1]) : uniform(stream, -kPi, kPi);
        break;
      case mjJNT_BALL:
        if (limited) {
          draw_limited_rotation(stream, range[1], position);
        } else {
          for (int i = 0; i < 4; ++i) position[i] = stream.normal();
          mju_normalize4(position);
        }
        break;
      case mjJNT_FREE:
        // This is not uniform over rotations, but the suite's published results start in this way.
        if (limited) break;
        for (int i = 3; i < 7; ++i) position[i] = stream.uniform();
        mju_normalize4(position + 3);
        break;
      default:
        break;
    }
  }
}

}  // namespace tandem::mujoco
