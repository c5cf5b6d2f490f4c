// The plan of a sweep: all its runs, listed before the first begins.
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
  std::vector<std::string> values = {};  // of the plan's keys, in the same order

  /// The run's values and seed: "optimizer.lr=0.0006 seed=3".
  [[nodiscard]] std::string title(const std::vector<std::string>& keys) const;
};

/// All runs of a sweep. Value type.
struct SweepPlan {
  std::vector<std::string> keys;  // full names of the keys that vary
  std::vector<PlannedRun> runs;
  int combinations = 0;                // number of combinations; the first runs are one of each
  nlohmann::ordered_json description;  // everything that determines the runs
  nlohmann::ordered_json defaults;     // of all keys, with only system, env.id and algo set
};

/// Whether a setting is refused or replaced if its key also varies. A study derives its variations
/// from the user's setting and replaces that.
enum class Given { refused, replaced };

/// Plans `repetitions` runs for each combination of the lists' values. Repetition r of every
/// combination has the seed run.seed + r and the same values from the ranges, so that compared runs
/// differ in nothing else. The plan lists one repetition after another, so more repetitions only
/// extend it. It depends on the arguments alone. Throws Error for an impossible key or value,
/// before anything is trained.
[[nodiscard]] SweepPlan plan_sweep(const ConfigSource& options,
                                   const std::vector<Setting>& settings,
                                   const std::vector<Variation>& variations, int repetitions,
                                   Given given = Given::refused);

}  // namespace tandem
