#include "lookup.h"

#include <fmt/format.h>

#include "tandem/base/error.h"

namespace tandem::mujoco {

int find_part(const mjModel& model, mjtObj kind, const char* name) {
  const int id = mj_name2id(&model, kind, name);
  if (id >= 0) return id;
  throw Error(fmt::format(
      "the model has no {} '{}'; it is not dm_control's. "
      "`tandem install mujoco --force`, or tools/build_mujoco.sh, brings the right ones",
      mju_type2Str(kind), name));
}

int find_position(const mjModel& model, const char* joint) {
  return model.jnt_qposadr[find_part(model, mjOBJ_JOINT, joint)];
}

int find_velocity(const mjModel& model, const char* joint) {
  return model.jnt_dofadr[find_part(model, mjOBJ_JOINT, joint)];
}

int find_sensor(const mjModel& model, const char* name) {
  return model.sensor_adr[find_part(model, mjOBJ_SENSOR, name)];
}

}  // namespace tandem::mujoco
