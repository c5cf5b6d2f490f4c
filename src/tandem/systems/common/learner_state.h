// A learner's state in checkpoints.
#pragma once

#include <span>
#include <vector>

#include "tandem/learn/learner.h"
#include "tandem/learn/target.h"
#include "tandem/run/checkpoint.h"

namespace tandem {

/// Copies the parameters and the optimizer's state to a checkpoint, and back. The loading functions
/// throw Error when a tensor is missing or has another size.
void save_learner(Learner& learner, Checkpoint& checkpoint);
void load_learner(const Checkpoint& checkpoint, Learner& learner);
void save_slots(const std::vector<Optimizer::Slot>& slots, Checkpoint& checkpoint);
void load_slots(const Checkpoint& checkpoint, const std::vector<Optimizer::Slot>& slots);
void save_target(TargetParameters& target, Checkpoint& checkpoint);
void load_target(const Checkpoint& checkpoint, TargetParameters& target);
void load_parameters(const Checkpoint& checkpoint, const Architecture& architecture,
                     std::span<float> parameters);

}  // namespace tandem
