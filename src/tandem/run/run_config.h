// Options of a run that all systems and environments share.
#pragma once

#include <cstdint>
#include <string>

#include "tandem/base/field.h"

namespace tandem {

/// The value of run.until_return with which no return ends the run.
constexpr double kNoReturn = 1e15;

/// The options of one run, as config keys `run.*`. Value type.
struct RunConfig {
  std::int64_t seed = 1;                // of every random stream
  std::int64_t steps = 115'000'000;     // training stops after this many steps of all environments
  double until_return = kNoReturn;      // or once games have at least this mean return
  std::int64_t until_evaluations = 0;   // these are of so many last evaluations; 0: see the key
  std::int64_t threads = 0;             // thread budget; 0: one for each usable core
  std::string device = "cpu";           // where the network runs
  double checkpoint_minutes = 5;        // between two checkpoints
  double log_seconds = 10;              // between two lines of metrics
  std::int64_t evaluate_steps = 0;      // between two evaluations during the training; 0: none
  std::int64_t evaluate_episodes = 10;  // games of each
  std::string evaluate_protocol = "sampled";  // or "greedy"
  std::string evaluate_start = "trained";     // "noop", "fixed", or as in training

  /// The keys of the table [run]; they point into this object.
  FieldList fields();

  /// The thread budget: `threads`, or the cores of the process's affinity mask.
  [[nodiscard]] int thread_budget() const;
};

}  // namespace tandem
