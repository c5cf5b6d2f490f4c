// Builds the parts that a config names and trains with them.
#pragma once

#include <filesystem>

#include "tandem/app/config.h"

namespace tandem {

/// Trains until the budget is used up or a signal ends it; everything it leaves is in run_dir.
/// With `resume`, goes on from the newest good checkpoint there. Throws Error for what the user can
/// mend; the run directory says why the run ended in any case.
void train(const Config& config, const std::filesystem::path& run_dir, bool resume);

}  // namespace tandem
