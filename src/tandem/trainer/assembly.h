// Builds the parts that a config names.
#pragma once

#include <cstdint>
#include <memory>

#include "tandem/env/env.h"
#include "tandem/sync/stop_requested.h"
#include "tandem/systems/common/training_context.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// Everything that a system needs except the run to which it reports. Cannot be moved, because the
/// contexts that it makes refer to its members. Not thread-safe.
class Assembly {
 public:
  /// Measures the values that the config leaves open (see measured.h), makes one environment to
  /// learn its spec, and makes one network to check that the device is available. Throws Error when
  /// parts cannot be built or do not fit each other, and Stopped when a stop is requested while it
  /// measures.
  explicit Assembly(
      const Config& config, const StopRequested& stop_requested = [] { return false; });
  Assembly(const Assembly&) = delete;
  Assembly& operator=(const Assembly&) = delete;

  /// The config with the measured values.
  [[nodiscard]] const Config& config() const { return config_; }

  /// The observations and actions of the environments.
  [[nodiscard]] const EnvSpec& spec() const { return spec_; }
  /// The parameters and their optimizer.
  [[nodiscard]] Learner& learner() { return learner_; }

  /// Lets environments that are made from now on begin other games than those of a run that begins
  /// with this config. A run that goes on without saved games would play its first ones again.
  /// Equal numbers give equal games.
  void begin_other_games(std::uint64_t number);

  /// The options of a run that trains these parts.
  [[nodiscard]] TrainingRunOptions run_options() const;

  /// The parts from which this config's actors are built. This assembly must outlive them.
  [[nodiscard]] ActorContext actor_context() const;

  /// The context in which a system trains in `run`, from checkpoint `resume` if it is not null.
  /// The run, the checkpoint and this assembly must outlive the context.
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

/// The architecture of the config's network, for the observations and actions of `spec` and the
/// heads of `algorithm`. Throws Error when they do not fit each other.
[[nodiscard]] Architecture make_architecture(const Config& config, const EnvSpec& spec,
                                             const Algorithm& algorithm);

/// Whether a repeated training gives the same bits, with any number of threads.
[[nodiscard]] bool repeatable(const Config& config);

}  // namespace tandem
