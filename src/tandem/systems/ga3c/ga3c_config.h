// GA3C's hyperparameters.
#pragma once

#include <cstdint>

#include "tandem/base/field.h"

namespace tandem {

/// The hyperparameters of GA3C, without those of its loss and optimizer. Value type.
struct Ga3cConfig {
  std::int64_t agents = 16;            // N_A
  std::int64_t envs = 2;               // of each agent; the paper: 1
  std::int64_t predictors = 1;         // N_P
  std::int64_t trainers = 2;           // N_T
  std::int64_t t_max = 5;              // the most steps of an experience
  std::int64_t min_batch = 160;        // the fewest samples of an update
  std::int64_t max_predictions = 128;  // the most samples of one forward pass
  std::int64_t queue = 32;             // capacity: the most experiences that may wait for a trainer
  double adjust_seconds = 0;           // seconds between two changes of thread counts; 0: none
  std::int64_t trainer_cores = 0;      // cores reserved for the trainers, see Ga3cCores; 0: none
  std::int64_t roaming_agents = 1;     // agents that may run on any core nevertheless

  FieldList fields();
};

}  // namespace tandem
