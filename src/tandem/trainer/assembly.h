// Builds the parts that a config names.
#pragma once

#include <cstdint>
#include <memory>

#include "tandem/env/env.h"
#include "tandem/systems/common/training_context.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// Everything that a system needs except the run to which it reports. Not thread-safe and never
/// moved, because the parts that it hands out are views of it.
class Assembly {
 public:
  /// Measures the numbers that the config leaves open (see measured.h), makes one environment to
  /// learn its spec, and makes one network to see that the device is there. Throws Error when parts
  /// cannot be built or do not fit each other.
  explicit Assembly(const Config& config);
  Assembly(const Assembly&) = delete;
  Assembly& operator=(const Assembly&) = delete;

  /// The config with the measured numbers.
  [[nodiscard]] const Config& config() const { return config_; }

  /// The observations and actions of the environments.
  [[nodiscard]] const EnvSpec& spec() const { return spec_; }
  /// The parameters and their optimizer.
  [[nodiscard]] Learner& learner() { return learner_; }

  /// The name and the budgets of a run of these parts.
  [[nodiscard]] TrainingRunOptions run_options() const;

  /// The context in which a system trains in `run`, from checkpoint `resume` if it is not null.
  /// Both must outlive it.
  [[nodiscard]] TrainingContext context(TrainingRun& run, const Checkpoint* resume = nullptr);

 private:
  [[nodiscard]] NetworkFactory network_factory() const;

  Config config_;
  EnvFactory make_env_;
  EnvSpec spec_;
  Algorithm algorithm_;
  Learner learner_;
};

/// The algorithm that the config names, for the actions and the frames per step of `spec`. Throws
/// Error when system, algorithm, network and environment do not fit each other.
[[nodiscard]] Algorithm make_algorithm(const Config& config, const EnvSpec& spec);

/// Whether training gives the same bits again, for any number of threads.
[[nodiscard]] bool repeatable(const Config& config);

}  // namespace tandem
