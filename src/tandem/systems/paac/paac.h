// PAAC: Clemente, Castejon and Chandra, "Efficient parallel methods for deep reinforcement
// learning" (2017).
#pragma once

#include <cstdint>

#include "tandem/base/field.h"

namespace tandem {

struct Parts;

/// The numbers of PAAC's Algorithm 1 beyond those of its loss and optimizer. Value type.
struct PaacConfig {
  std::int64_t envs = 32;            // n_e
  std::int64_t workers = 8;          // n_w, capped by the thread budget
  std::int64_t t_max = 5;            // steps of each environment between updates
  std::int64_t envs_per_group = 16;  // forward passes are made for groups of this many

  FieldList fields();
};

/// Algorithm 1, until the run's budget is used up or it is asked to stop. On the CPU the result is
/// the same, bit by bit, for any number of threads, and whether or not the run was stopped and
/// resumed.
void train_paac(const PaacConfig& config, Parts& parts);

}  // namespace tandem
