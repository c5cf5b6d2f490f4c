// The final metric of HTS-RL's paper, from the evaluations that a run has recorded.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tandem/run/evaluation.h"
#include "tandem/run/evaluation_record.h"

namespace tandem {

/// "An average over the last 100 evaluation episodes, i.e., 10 episodes for each of the last ten
/// policies during training" (HTS-RL, section 5). Value type.
struct FinalMetric {
  static constexpr auto kProtocol = "hts";  // its word for `tandem eval --protocol`
  static constexpr int kPolicies = 10;
  static constexpr int kGames = 10;  // of each policy

  std::vector<std::int64_t> steps = {};  // of the policies, ascending
  std::vector<double> means = {};        // of each policy's games
  EvaluationProtocol protocol = {};      // how the games were played
  Evaluation games = {};                 // all of them; their lengths are unknown: 0
};

/// The metric of the last ten of these records, which are in the order of their steps. Throws Error
/// when there are fewer, or when they had another number of games, no record of each game, or
/// different rules; the message names the keys with which to train. `run` is the run's name in it.
[[nodiscard]] FinalMetric final_metric(std::span<const EvaluationRecord> records,
                                       const std::string& run);

}  // namespace tandem
