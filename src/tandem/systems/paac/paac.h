// PAAC: Clemente, Castejon and Chandra, "Efficient parallel methods for deep reinforcement
// learning" (2017).
#pragma once

#include "tandem/systems/paac/paac_config.h"

namespace tandem {

struct TrainingContext;

/// Trains by Algorithm 1 until the run's budget is used up or it is asked to stop. On the CPU the
/// result is the same, bit by bit, for any number of threads, and whether or not the run was
/// stopped and resumed.
void train_paac(const PaacConfig& config, TrainingContext& context);

}  // namespace tandem
