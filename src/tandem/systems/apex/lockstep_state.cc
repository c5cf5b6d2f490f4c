#include "tandem/systems/apex/lockstep_state.h"

#include <iterator>

namespace tandem {
namespace {

constexpr auto kLockstepPart = "lockstep";  // a part of the checkpoint's meta
constexpr auto kActing = "acting";          // a tensor of the checkpoint

}  // namespace

LockstepState::LockstepState(const TrainingContext& context) {
  if (context.resume == nullptr) {
    renew_acting(context.learner.parameters());
    return;
  }
  rounds_ = context.resume->part(kLockstepPart).at("rounds").get<std::int64_t>();
  renew_acting(context.resume->tensor(kActing));
}

void LockstepState::renew_acting(std::span<const float> parameters) {
  acting_.assign(parameters.begin(), parameters.end());
}

void LockstepState::save(Checkpoint& checkpoint) const {
  checkpoint.meta[kLockstepPart]["rounds"] = rounds_;
  checkpoint.add_tensor(kActing, {std::ssize(acting_)}, acting_);
}

}  // namespace tandem
