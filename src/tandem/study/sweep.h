// Trains every run of a sweep.
#pragma once

#include "tandem/study/sweep_folder.h"
#include "tandem/study/sweep_plan.h"
#include "tandem/sync/stop_requested.h"

namespace tandem {

/// Builds the parts of one run of each combination, for an error in any of them to come before a
/// run is trained or a file written. Throws Error.
void check_combinations(const SweepPlan& plan);

/// Trains the runs that have not ended, those with a checkpoint from there, `jobs` at a time, and
/// keeps sweep.csv. A run that diverges is noted and the others go on; any other error ends the
/// sweep, since the user is to mend it. Once `stop_requested` says so, each run ends with a
/// checkpoint. Returns whether all runs have ended.
[[nodiscard]] bool run_sweep(const SweepPlan& plan, const SweepFolder& folder, int jobs,
                             const StopRequested& stop_requested);

}  // namespace tandem
