// The interface of a published parallel system to configs, catalogues and measurements.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tandem/algo/traits.h"
#include "tandem/base/field.h"
#include "tandem/systems/common/step_costs.h"
#include "tandem/systems/common/training_context.h"

namespace tandem {

/// A paper's own word for a key, or for a value of a key, that configs call by another name. Value
/// type.
struct OwnWord {
  std::string key;                // as the paper calls it
  std::string value;              // as the paper calls it; empty: only the key is translated
  std::string common_key;         // as configs call it
  std::string common_value = {};  // as configs call the value
};

/// The facts of a system that catalogues, tables and configs show. Value type.
struct SystemInfo {
  std::string name;     // as in `tandem train NAME`, in log keys, and as the system's table in a
                        // config
  std::string idea;     // one line
  std::string paper;    // authors, title, where, year
  std::string repeats;  // when runs on the CPU repeat bit by bit: "always", "never", ...
  std::vector<OwnWord> own_words = {};  // valid in every config of a catalogue with this system
};

/// The abilities of a system, which decide the algorithms that it can train with. Value type.
struct Requirements {
  LearnsFrom learns_from = LearnsFrom::rollouts;  // the experience that it provides
  bool value_methods = true;     // it keeps the target networks that methods without a policy need
  bool passes = true;            // it can make several passes over the same rollouts
  bool recurrent = true;         // it carries recurrent states from acting to learning
  bool asynchronous = false;     // its threads update parameters without waiting for each other
  std::string target_keys = {};  // keys in use that are about target networks; empty: none
};

/// How a system's threads wait for each other. Value type.
struct ThreadPattern {
  double stepping = 1;         // threads that step environments
  double meeting_steps = 0;    // steps per thread between two barriers; 0: no barrier
  double computing = 1;        // threads that can compute networks at the same time
  bool learns_beside = false;  // other threads learn meanwhile
};

/// The experience of one update. Value type.
struct UpdateShape {
  std::int64_t steps = 5;      // consecutive steps of an environment
  std::int64_t samples = 160;  // steps of all environments together
};

/// The measured costs of a system, and its own measurements that explain them. Value type.
struct MeasuredCosts {
  StepCosts costs;                                                // of one step
  nlohmann::ordered_json own = nlohmann::ordered_json::object();  // by log key
};

/// One system with its hyperparameters. A catalogue holds one of each as a prototype; a config
/// holds a copy whose hyperparameters are set through fields() before any thread starts. Threads
/// may share a system as long as they call const members only. All members but check(),
/// check_resume() and the destructor are pure virtual, so that a system that lacks one does not
/// compile.
class System {
 public:
  virtual ~System() = default;

  /// Its name, idea and paper.
  [[nodiscard]] virtual const SystemInfo& info() const = 0;
  /// A copy with hyperparameters of its own.
  [[nodiscard]] virtual std::unique_ptr<System> clone() const = 0;

  /// Its hyperparameters under their full keys, as "paac.t_max". Keys of one table are adjacent.
  [[nodiscard]] virtual FieldList fields() = 0;

  /// Throws Error if hyperparameters contradict each other. It is called before a run's folder is
  /// made; a system whose hyperparameters all go together may leave it out.
  virtual void check() const {}

  /// Throws Error if a run cannot go on in this process from such a checkpoint. It is called before
  /// any file of the run changes.
  virtual void check_resume(const Checkpoint& /*checkpoint*/) const {}

  /// The algorithms that it can train with.
  [[nodiscard]] virtual Requirements requirements() const = 0;

  /// Whether a run with these hyperparameters on the CPU gives the same bits for any number of
  /// threads.
  [[nodiscard]] virtual bool repeatable() const = 0;

  /// Environments of the whole system.
  [[nodiscard]] virtual std::int64_t envs() const = 0;

  /// How it batches its work, which determines a step's costs.
  [[nodiscard]] virtual Batching batching() const = 0;

  /// How its threads wait for each other when the process has a budget of `threads`.
  [[nodiscard]] virtual ThreadPattern thread_pattern(int threads) const = 0;

  /// The policy lag: updates by which the acting policy is behind the learning one. Empty if the
  /// config alone does not determine it; a run then measures it as NAME/policy_lag_updates.
  [[nodiscard]] virtual std::optional<double> lag_updates() const = 0;

  /// The key that sets a run's number of threads, to measure speed-ups.
  [[nodiscard]] virtual std::string threads_key() const = 0;

  /// Settings worth comparing on `cores` cores that the environments keep busy. Each is a list of
  /// KEY=VALUE; an empty list is the preset as it is.
  [[nodiscard]] virtual std::vector<std::vector<std::string>> variants(int cores) const = 0;

  /// The settings worth comparing for environments that sleep while they step, most with a thread
  /// for each of `envs` environments.
  [[nodiscard]] virtual std::vector<std::vector<std::string>> sleeping_variants(
      std::int64_t envs) const = 0;

  /// Makes an update about as large as another system's, for comparisons.
  virtual void set_update(const UpdateShape& shape) = 0;

  /// Prepares for a training of a few seconds: shortens the waits that would take up most of it,
  /// and keeps large states out of its checkpoints.
  virtual void prepare_to_measure() = 0;

  /// Measures the cost of a step on a single core, for about `seconds` on `cores` cores, with the
  /// parts of a training that has just ended; `means` are the scalars that it logged.
  [[nodiscard]] virtual MeasuredCosts measure_costs(const TrainingContext& context,
                                                    const nlohmann::ordered_json& means, int cores,
                                                    double seconds) const = 0;

  /// Trains until the run's budget is used up or it is asked to stop. Throws Error for problems
  /// that the user can mend.
  virtual void train(TrainingContext& context) const = 0;
};

}  // namespace tandem
