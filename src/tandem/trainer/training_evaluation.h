// Evaluations while a run trains, as its config asks for them.
#pragma once

#include <cstdint>
#include <optional>

#include "tandem/run/evaluator_options.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// Whether evaluations end a run of this config at run.until_return, rather than the mean of its
/// training games: run.until_evaluations asks for it, or the actors of the algorithm explore, so
/// that the return of their games is lower than the policy's. In the second case the evaluations
/// are greedy, whatever run.evaluate_protocol says. Pure.
[[nodiscard]] bool ends_by_evaluation(const Config& config);

/// The number of last evaluations whose mean ends a run of this config at run.until_return; 0: the
/// mean of its training games does. Pure.
[[nodiscard]] std::int64_t awaited_evaluations(const Config& config);

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
