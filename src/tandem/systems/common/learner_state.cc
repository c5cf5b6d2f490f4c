#include "tandem/systems/common/learner_state.h"

#include <algorithm>
#include <string>

#include "tandem/base/error.h"

namespace tandem {
namespace {

std::string slot_name(const Optimizer::Slot& slot) { return "optimizer." + slot.name; }

std::span<const float> slice(std::span<const float> all, const ParameterInfo& info) {
  return all.subspan(static_cast<std::size_t>(info.offset), static_cast<std::size_t>(info.count));
}

void copy_tensor(const Checkpoint& checkpoint, const std::string& name, std::span<float> to) {
  const auto from = checkpoint.tensor(name);
  if (from.size() != to.size()) {
    throw Error("the checkpoint's tensor '" + name + "' has " + std::to_string(from.size()) +
                " values, this network needs " + std::to_string(to.size()) +
                "; resume with the config of the run that wrote it");
  }
  std::ranges::copy(from, to.begin());
}

}  // namespace

void save_learner(Learner& learner, Checkpoint& checkpoint) {
  for (const ParameterInfo& info : learner.architecture().parameters()) {
    checkpoint.add_tensor(info.name, info.shape, slice(learner.parameters(), info));
  }
  save_slots(learner.optimizer_slots(), checkpoint);
}

void load_parameters(const Checkpoint& checkpoint, const Architecture& architecture,
                     std::span<float> parameters) {
  for (const ParameterInfo& info : architecture.parameters()) {
    copy_tensor(checkpoint, info.name,
                parameters.subspan(static_cast<std::size_t>(info.offset),
                                   static_cast<std::size_t>(info.count)));
  }
}

void load_learner(const Checkpoint& checkpoint, Learner& learner) {
  load_parameters(checkpoint, learner.architecture(), learner.parameters());
  load_slots(checkpoint, learner.optimizer_slots());
}

void save_slots(const std::vector<Optimizer::Slot>& slots, Checkpoint& checkpoint) {
  for (const auto& slot : slots) {
    checkpoint.add_tensor(slot_name(slot), {static_cast<std::int64_t>(slot.values.size())},
                          slot.values);
  }
}

void save_target(TargetParameters& target, Checkpoint& checkpoint, const std::string& name) {
  if (!target.exist()) return;
  checkpoint.add_tensor(name, {static_cast<std::int64_t>(target.size())}, target.values());
}

void load_target(const Checkpoint& checkpoint, TargetParameters& target, const std::string& name) {
  if (target.exist()) copy_tensor(checkpoint, name, target.values());
}

void load_slots(const Checkpoint& checkpoint, const std::vector<Optimizer::Slot>& slots) {
  for (const auto& slot : slots) copy_tensor(checkpoint, slot_name(slot), slot.values);
}

}  // namespace tandem
