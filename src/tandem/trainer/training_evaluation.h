// Evaluations while a run trains, as its config asks for them.
#pragma once

#include <cstdint>
#include <optional>

#include "tandem/run/evaluator_options.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// Whether an evaluation ends a run of this config at run.until_return, rather than the mean of its
/// training games: the actors of its algorithm explore, so the return of their games is lower than
/// that of the policy. Such evaluations are greedy, whatever run.evaluate_protocol says. Pure.
[[nodiscard]] bool ends_by_evaluation(const Config& config);

/// The training steps between two evaluations: run.evaluate_steps. Where that is 0, but the run
/// ends_by_evaluation(), a hundredth of run.steps. 0: none. Pure.
[[nodiscard]] std::int64_t steps_between_evaluations(const Config& config);

/// The options with which a run of this config evaluates its parameters; empty if
/// steps_between_evaluations() is 0. The games have a network, environments and random streams of
/// their own, so they change no bit of the training. All evaluations of a run play with the same
/// seed: the same parameters give the same returns. `config` must be measured (see measured.h).
/// Throws Error when the environment has no such start. Messages for the user go to the log of
/// warnings.
[[nodiscard]] std::optional<EvaluatorOptions> training_evaluation(const Config& config);

}  // namespace tandem
