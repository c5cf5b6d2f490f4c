// The result of one evaluation while a run trains.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tandem {

/// How the games of an evaluation are played. Value type.
struct EvaluationProtocol {
  std::string actions = "sampled";  // "sampled" or "greedy"
  std::string start = "trained";    // "trained", "noop" or "fixed"

  bool operator==(const EvaluationProtocol&) const = default;
};

/// One evaluation: raw returns of whole games with the parameters of one step. Value type.
struct EvaluationRecord {
  std::int64_t step = 0;             // of the training, whose parameters played
  std::int64_t episodes = 0;         // games
  double mean = 0;                   // of the returns
  double deviation = 0;              // of the sample (n - 1); NaN for a single game
  double least = 0;                  // the lowest return
  double most = 0;                   // the highest return
  EvaluationProtocol protocol = {};  // how they were played
  double seconds = 0;                // that the evaluation took, its rests included
  double training_seconds = 0;       // of the training until this step; 0: unknown, an older record
  std::vector<double> returns = {};  // of each game; empty: unknown, an older record
};

/// The record as a line of evaluations.jsonl; a deviation that is NaN becomes null.
[[nodiscard]] nlohmann::ordered_json to_json(const EvaluationRecord& record);

/// The record that to_json() wrote. Throws Error when `json` is none; `where` names its file.
[[nodiscard]] EvaluationRecord record_from_json(const nlohmann::json& json,
                                                const std::string& where);

}  // namespace tandem
