#include "physics.h"

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>
#include <utility>

namespace tandem::mujoco {
namespace {

constexpr int kState = mjSTATE_INTEGRATION;

}  // namespace

Physics::Physics(std::shared_ptr<const mjModel> model, bool own_model) : model_(std::move(model)) {
  if (own_model) {
    const std::shared_ptr<mjModel> copy(mj_copyModel(nullptr, model_.get()), FreeModel());
    own_model_ = copy.get();
    model_ = copy;
  }
  data_.reset(mj_makeData(model_.get()));
  if (data_ == nullptr) throw std::bad_alloc();
}

mjModel& Physics::own_model() const {
  if (own_model_ == nullptr) throw std::logic_error("Physics: a shared model is not to be changed");
  return *own_model_;
}

void Physics::reset() {
  mj_resetData(model_.get(), data_.get());
  forward();
}

void Physics::forward() {
  // The model may be shared, so the switch is set in a shallow copy.
  mjModel without_actuators = *model_;
  without_actuators.opt.disableflags |= mjDSBL_ACTUATION;
  mj_forward(&without_actuators, data_.get());
}

void Physics::step(int substeps) {
  if (model_->opt.integrator == mjINT_RK4) {
    // Runge-Kutta evaluates the forces at several points, so its steps cannot be split in two.
    for (int i = 0; i < substeps; ++i) mj_step(model_.get(), data_.get());
  } else {
    // The call before has computed the first half of the first step.
    mj_step2(model_.get(), data_.get());
    for (int i = 1; i < substeps; ++i) mj_step(model_.get(), data_.get());
  }
  mj_step1(model_.get(), data_.get());
}

bool Physics::diverged() const {
  constexpr std::array kBad = {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC};
  return std::ranges::any_of(kBad,
                             [this](auto warning) { return data_->warning[warning].number > 0; });
}

std::size_t Physics::state_size() const { return count(mj_stateSize(model_.get(), kState)); }

void Physics::state(std::span<double> numbers) const {
  mj_getState(model_.get(), data_.get(), numbers.data(), kState);
}

void Physics::set_state(std::span<const double> numbers) {
  mj_resetData(model_.get(), data_.get());
  mj_setState(model_.get(), data_.get(), numbers.data(), kState);
  mj_step1(model_.get(), data_.get());
}

}  // namespace tandem::mujoco
