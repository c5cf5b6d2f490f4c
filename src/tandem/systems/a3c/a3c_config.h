// A3C's hyperparameters.
#pragma once

#include <cstdint>

#include "tandem/base/field.h"
#include "tandem/learn/hogwild.h"

namespace tandem {

/// The hyperparameters of the asynchronous framework, without those of its loss and optimizer.
/// Value type.
struct A3cConfig {
  std::int64_t learners = 16;  // actor-learner threads, each with an environment of its own
  std::int64_t t_max = 5;      // the most steps of a thread between two of its updates
  SharingConfig sharing = {};
  bool own_targets = false;    // each thread has a target network of its own
  bool act_by_target = false;  // actions are those of theta-, and not of theta'

  FieldList fields();
};

}  // namespace tandem
