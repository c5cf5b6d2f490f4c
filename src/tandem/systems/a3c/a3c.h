// The A3C family: Mnih et al., "Asynchronous methods for deep reinforcement learning" (2016).
#pragma once

#include <cstdint>

#include "tandem/base/field.h"
#include "tandem/learn/hogwild.h"

namespace tandem {

struct Parts;

/// The numbers of the asynchronous framework beyond those of its loss and optimizer. Value type.
struct A3cConfig {
  std::int64_t learners = 16;  // actor-learner threads, each with an environment of its own
  std::int64_t t_max = 5;      // steps between two updates of one thread, at most
  SharingConfig sharing = {};

  FieldList fields();
};

/// Section 4's asynchronous advantage actor-critic (and any other algorithm of the same kind),
/// until the run's budget is used up or it is asked to stop. Each thread's environment, exploration
/// and parameters are its own; what depends on the threads' timing differs from run to run. With
/// one thread the result is the same, bit by bit, whether or not the run was stopped and resumed.
void train_a3c(const A3cConfig& config, Parts& parts);

}  // namespace tandem
