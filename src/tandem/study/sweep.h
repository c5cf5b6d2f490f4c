// Trains every run of a sweep.
#pragma once

#include "tandem/study/sweep_folder.h"
#include "tandem/study/sweep_plan.h"
#include "tandem/sync/stop_requested.h"

namespace tandem {

/// Builds the parts of one run of each combination, so that errors appear before any run is trained
/// or any file is written. Throws Error for a combination that cannot be built.
void check_combinations(const SweepPlan& plan);

/// Trains the runs that have not ended, `jobs` at a time, from their checkpoints if they have any,
/// and keeps sweep.csv up to date. A run without checkpoints begins anew; metrics and a best
/// checkpoint that it has by then stay in SweepPaths::before(). If a run diverges, the sweep
/// records it and goes on. Any other error ends the sweep, so that the user can mend it. Once
/// `stop_requested` returns true, each run ends with a checkpoint. Returns whether all runs have
/// ended.
[[nodiscard]] bool run_sweep(const SweepPlan& plan, const SweepFolder& folder, int jobs,
                             const StopRequested& stop_requested);

}  // namespace tandem
