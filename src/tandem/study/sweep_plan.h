// Every run of a sweep, known before the first begins.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tandem/study/config_source.h"
#include "tandem/study/variation.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// One run: the sweep's config with values of its own. Value type.
struct PlannedRun {
  int number = 1;  // in the order of the sweep
  Config config = {};
  std::vector<std::string> values = {};  // of the plan's keys

  /// "optimizer.lr=0.0006 seed=3".
  [[nodiscard]] std::string title(const std::vector<std::string>& keys) const;
};

/// Value type.
struct SweepPlan {
  std::vector<std::string> keys;  // that vary, in full
  std::vector<PlannedRun> runs;
  int combinations = 0;                // the first so many runs are one of each
  nlohmann::ordered_json description;  // all that makes the runs what they are
  nlohmann::ordered_json defaults;     // of the config's keys, where nothing was chosen
};

/// What a plan does with a key that varies and is given besides: a study's variations start from
/// what was given.
enum class Given { refused, replaced };

/// `repetitions` runs for each combination of the lists' values. Repetition r of each has the seed
/// run.seed + r and the same values from the ranges, so that what is compared differs in nothing
/// else; repetitions stand one behind another, so more of them only add to the plan. Depends on the
/// arguments alone. Throws Error for a key or value that cannot be, before anything is trained.
[[nodiscard]] SweepPlan plan_sweep(const ConfigSource& options,
                                   const std::vector<Setting>& settings,
                                   const std::vector<Variation>& variations, int repetitions,
                                   Given given = Given::refused);

}  // namespace tandem
