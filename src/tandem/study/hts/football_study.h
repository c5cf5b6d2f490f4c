// HTS-RL's Table 2: how long agents of three systems train until they score in football.
#pragma once

#include <string>
#include <vector>

#include "tandem/io/settings.h"
#include "tandem/study/sweep_plan.h"

namespace tandem {

/// A column of the table: a system, and its preset with the numbers of HTS-RL's published code.
/// Value type.
struct FootballContender {
  std::string system;
  std::string preset;
};

/// The columns of the table: the systems that have a preset for football.
[[nodiscard]] std::vector<FootballContender> football_contenders();

/// The scores of Table 2: the mean goals of a game that a run has to reach.
inline constexpr double kFirstScore = 0.4;
inline constexpr double kLastScore = 0.8;

/// The table's runs. Value type.
struct FootballTask {
  int runs = 2;              // seeds of each cell
  std::string steps = "1M";  // of each run, unless it reaches the last score before
  /// Steps between two evaluations of ten games each, whose last ten then decide when a run has
  /// reached a score, as in the paper ("required time metric", section 5). 0: none; the last 100
  /// games of the training decide, which the policy plays in the same way.
  std::string evaluate_steps = "0";
  std::vector<Setting> settings = {};  // of the user, over the preset's
};

/// The runs of one cell, which train until the mean score is kLastScore. The learning rate falls as
/// in runs of the paper's 5M steps. Throws Error when football is not installed, for an unknown
/// scenario and for bad settings.
[[nodiscard]] SweepPlan plan_football(const FootballTask& task, const FootballContender& contender,
                                      const std::string& scenario);

}  // namespace tandem
