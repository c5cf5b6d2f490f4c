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
  std::int64_t t_max = 5;              // steps of an agent between two of its experiences, at most
  std::int64_t min_batch = 160;        // samples of an update at least
  std::int64_t max_predictions = 128;  // samples of one forward pass at most
  std::int64_t queue = 32;             // experiences that wait for a trainer at most
  double adjust_seconds = 0;           // seconds between two changes of the thread numbers above;
                                       // 0: they stay
  std::int64_t trainer_cores = 0;      // cores reserved for the trainers, see Ga3cCores; 0: no such
                                       // cores
  std::int64_t roaming_agents = 1;     // how many agents run on any core all the same

  FieldList fields();
};

}  // namespace tandem
