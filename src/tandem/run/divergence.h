// A training whose numbers are no longer finite ends.
#pragma once

#include <cstdint>
#include <filesystem>

#include "tandem/algo/loss_stats.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/interval.h"

namespace tandem {

/// Throws Diverged if one of the `metrics` or the gradient norm of an update is not finite. The
/// error names the `step` at which the update ends and the last checkpoint; an empty path: there is
/// none.
void require_finite(const UpdateReport& report, Metrics metrics, std::int64_t step,
                    const std::filesystem::path& last_checkpoint);

/// Throws Diverged if a tensor of the checkpoint holds a value that is not finite.
void require_finite(const Checkpoint& checkpoint);

}  // namespace tandem
