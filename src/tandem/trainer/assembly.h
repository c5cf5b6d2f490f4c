// The parts that a config names, built.
#pragma once

#include <cstdint>
#include <memory>

#include "tandem/env/env.h"
#include "tandem/systems/common/training_context.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// Everything a system needs but the run that it reports to. Not thread-safe and never moved: the
/// parts that it gives out are views of it.
class Assembly {
 public:
  /// Measures what the config leaves to be measured (see measured.h), makes one environment to
  /// learn its spec, and one network to see that the device is there.
  /// Throws Error when the parts cannot be built or do not fit each other.
  explicit Assembly(const Config& config);
  Assembly(const Assembly&) = delete;
  Assembly& operator=(const Assembly&) = delete;

  /// With the numbers that were measured.
  [[nodiscard]] const Config& config() const { return config_; }

  /// What the environments show and take.
  [[nodiscard]] const EnvSpec& spec() const { return spec_; }
  /// The parameters and their optimizer.
  [[nodiscard]] Learner& learner() { return learner_; }

  /// How a run of these parts is called, and what it may use up.
  [[nodiscard]] TrainingRunOptions run_options() const;

  /// With which a system trains in `run`; `resume` as there. Both must outlive it.
  [[nodiscard]] TrainingContext context(TrainingRun& run, const Checkpoint* resume = nullptr);

 private:
  [[nodiscard]] NetworkFactory network_factory() const;

  Config config_;
  EnvFactory make_env_;
  EnvSpec spec_;
  Algorithm algorithm_;
  Learner learner_;
};

/// The algorithm that the config names, for the actions and the frames a step of `spec`. Throws
/// Error when system, algorithm, network and environment do not fit each other.
[[nodiscard]] Algorithm make_algorithm(const Config& config, const EnvSpec& spec);

/// Whether training gives the same bits again, for any number of threads.
[[nodiscard]] bool repeatable(const Config& config);

}  // namespace tandem
