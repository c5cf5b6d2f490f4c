// Evaluations while a run trains, as its config asks for them.
#pragma once

#include <optional>

#include "tandem/run/evaluator_options.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// The options with which a run of this config evaluates its parameters; empty if
/// run.evaluate_steps is 0. The games have a network, environments and random streams of their own,
/// so they change no bit of the training. All evaluations of a run play with the same seed: the
/// same parameters give the same returns. `config` must be measured (see measured.h). Throws Error
/// when the environment has no such start. Messages for the user go to the log of warnings.
[[nodiscard]] std::optional<EvaluatorOptions> training_evaluation(const Config& config);

}  // namespace tandem
