// PAAC's hyperparameters.
#pragma once

#include <cstdint>

#include "tandem/base/field.h"

namespace tandem {

/// The hyperparameters of PAAC's Algorithm 1, without those of its loss and optimizer. Value type.
struct PaacConfig {
  std::int64_t envs = 32;            // n_e
  std::int64_t workers = 8;          // n_w, capped by the thread budget
  std::int64_t t_max = 5;            // steps of each environment between updates
  std::int64_t envs_per_group = 16;  // environments that share one forward pass

  FieldList fields();
};

}  // namespace tandem
