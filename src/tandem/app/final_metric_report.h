// The results of games in a terminal, and the final metric of HTS-RL's paper.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tandem/run/atari_scores.h"
#include "tandem/run/evaluation.h"

namespace tandem {

/// Prints the statistics of the games, and the human-normalised score where there is one.
void print_statistics(const Evaluation& result, const std::optional<AtariScores>& scores);

/// Appends the same statistics to a JSON object. The deviation of a single game is null, and so is
/// the human-normalised score where there is none.
void add_statistics(nlohmann::ordered_json& json, const Evaluation& result,
                    const std::optional<AtariScores>& scores);

/// Prints the final metric of the run in this folder, as a table or as JSON. Throws Error when
/// there is no run, and as final_metric() does.
void report_final_metric(const std::string& run, bool as_json);

}  // namespace tandem
