// A cart on a rail with a pole hinged to it.
#include <algorithm>
#include <numbers>

#include "joints.h"
#include "lookup.h"
#include "tasks/reading.h"
#include "tasks/tasks.h"
#include "tolerance.h"

namespace tandem::mujoco {
namespace {

enum class Start { hanging, upright };
enum class Reward { smooth, sparse };

class Cartpole : public Task {
 public:
  Cartpole(const mjModel& model, Start start, Reward reward)
      : start_(start),
        reward_(reward),
        slider_(find_position(model, "slider")),
        hinge_(find_position(model, "hinge_1")),
        hinge_speed_(find_velocity(model, "hinge_1")),
        pole_(find_part(model, mjOBJ_BODY, "pole_1")) {}

  void start(Physics& physics, Stream& stream) const override {
    mjData& data = physics.data();
    if (start_ == Start::hanging) {
      data.qpos[slider_] = 0.01 * stream.normal();
      data.qpos[hinge_] = std::numbers::pi + 0.01 * stream.normal();
    } else {
      data.qpos[slider_] = uniform(stream, -0.1, 0.1);
      data.qpos[hinge_] = uniform(stream, -0.034, 0.034);
    }
    for (int i = 0; i < physics.model().nv; ++i) data.qvel[i] = 0.01 * stream.normal();
  }

  void observe(const Physics& physics, Features& features) const override {
    features.add(physics.position()[slider_]);
    features.add(rotation(physics.data(), pole_, zz));
    features.add(rotation(physics.data(), pole_, xz));
    features.add(physics.velocity());
  }

  [[nodiscard]] double reward(const Physics& physics) const override {
    const double cart = physics.position()[slider_];
    const double cosine = rotation(physics.data(), pole_, zz);
    if (reward_ == Reward::sparse) {
      return tolerance(cart, {.lower = -0.25, .upper = 0.25}) *
             tolerance(cosine, {.lower = 0.995, .upper = 1});
    }
    const double upright = (cosine + 1) / 2;
    const double centred = (1 + tolerance(cart, {.margin = 2})) / 2;
    const double gentle = (4 + small_control(physics)) / 5;
    const double slow = (1 + tolerance(physics.velocity()[hinge_speed_], {.margin = 5})) / 2;
    return upright * gentle * slow * centred;
  }

 private:
  Start start_;
  Reward reward_;
  int slider_;
  int hinge_;
  int hinge_speed_;
  int pole_;
};

template <Start kStart, Reward kReward>
TaskInfo task(const char* name) {
  return {.name = name,
          .file = "cartpole.xml",
          .seconds = 10,
          .make = [](const mjModel& model) -> std::unique_ptr<Task> {
            return std::make_unique<Cartpole>(model, kStart, kReward);
          }};
}

}  // namespace

std::vector<TaskInfo> cartpole_tasks() {
  return {task<Start::upright, Reward::smooth>("cartpole-balance"),
          task<Start::upright, Reward::sparse>("cartpole-balance_sparse"),
          task<Start::hanging, Reward::smooth>("cartpole-swingup"),
          task<Start::hanging, Reward::sparse>("cartpole-swingup_sparse")};
}

}  // namespace tandem::mujoco
