// What every system is built from, made once from the config.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tandem/algo/algorithm.h"
#include "tandem/env/vec_env.h"
#include "tandem/learn/learner.h"
#include "tandem/learn/target.h"
#include "tandem/nn/network_factory.h"
#include "tandem/run/training_run.h"

namespace tandem {

/// The shared parts of one training run; views of objects that outlive the system.
struct Parts {
  EnvFactory make_env;
  NetworkFactory make_network;
  const Algorithm& algorithm;
  Learner& learner;
  TrainingRun& run;
  std::uint64_t seed = 1;
  int threads = 1;                     // the thread budget of the process
  const Checkpoint* resume = nullptr;  // where to go on from; null: a new run
};

/// Puts the parameters and the optimizer's state into a checkpoint, and back. The loading functions
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
