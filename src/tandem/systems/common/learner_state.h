// A learner's state in checkpoints.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tandem/learn/learner.h"
#include "tandem/learn/target.h"
#include "tandem/run/checkpoint.h"

namespace tandem {

/// Puts the parameters and the optimizer's state into a checkpoint. No thread may change them
/// meanwhile; the same holds for all functions of this file.
void save_learner(Learner& learner, Checkpoint& checkpoint);
/// Reads the parameters and the optimizer's state from a checkpoint. Throws Error when a tensor is
/// missing or has another size, as the other loading functions do.
void load_learner(const Checkpoint& checkpoint, Learner& learner);
/// Puts an optimizer's state into a checkpoint, each slot as the tensor optimizer.NAME.
void save_slots(const std::vector<Optimizer::Slot>& slots, Checkpoint& checkpoint);
/// Reads what save_slots() put into the checkpoint.
void load_slots(const Checkpoint& checkpoint, const std::vector<Optimizer::Slot>& slots);
/// Puts the target network's parameters into a checkpoint as the tensor `name`, if there is such a
/// network.
void save_target(TargetParameters& target, Checkpoint& checkpoint,
                 const std::string& name = "target");
/// Reads the target network's parameters, if there is such a network.
void load_target(const Checkpoint& checkpoint, TargetParameters& target,
                 const std::string& name = "target");
/// Reads the parameters alone, in the order of the architecture's flat buffer.
void load_parameters(const Checkpoint& checkpoint, const Architecture& architecture,
                     std::span<float> parameters);

}  // namespace tandem
