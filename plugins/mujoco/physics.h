// One simulated world: a MuJoCo model and its state.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <span>
#include <vector>

#include "model.h"

namespace tandem::mujoco {

/// Advances a world as dm_control's Physics does, so that everything derived from positions and
/// velocities is up to date after a step. Many instances may share a model; one thread at a time
/// uses an instance.
class Physics {
 public:
  /// With `own_model` the instance has its own copy of the model, which it may change.
  Physics(std::shared_ptr<const mjModel> model, bool own_model);

  [[nodiscard]] const mjModel& model() const { return *model_; }
  [[nodiscard]] mjModel& own_model() const;  // throws std::logic_error when it has none
  [[nodiscard]] const mjData& data() const { return *data_; }
  [[nodiscard]] mjData& data() { return *data_; }
  [[nodiscard]] std::span<const double> control() const { return {data_->ctrl, count(model_->nu)}; }
  [[nodiscard]] std::span<const double> position() const {
    return {data_->qpos, count(model_->nq)};
  }
  [[nodiscard]] std::span<const double> velocity() const {
    return {data_->qvel, count(model_->nv)};
  }

  /// Restores the model's initial state.
  void reset();

  /// Recomputes everything from positions and velocities, with all actuators off.
  void forward();

  void step(int substeps);

  /// Whether positions, velocities or accelerations became invalid since the last reset; MuJoCo has
  /// then restored the world's initial state.
  [[nodiscard]] bool diverged() const;

  /// MuJoCo's integration state, which determines the future. state() fills state_size() numbers.
  [[nodiscard]] std::size_t state_size() const;
  void state(std::span<double> numbers) const;
  void set_state(std::span<const double> numbers);

 private:
  struct FreeData {
    void operator()(mjData* data) const { mj_deleteData(data); }
  };

  static std::size_t count(int number) { return static_cast<std::size_t>(number); }

  std::shared_ptr<const mjModel> model_;
  mjModel* own_model_ = nullptr;  // model_, if it may be changed
  std::unique_ptr<mjData, FreeData> data_;
};

}  // namespace tandem::mujoco
