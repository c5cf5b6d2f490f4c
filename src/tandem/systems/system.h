// A published parallel system as configs, catalogues and measurements know it.
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

/// A paper's own word for something that configs call otherwise: a key, or a value of a key.
/// Value type.
struct OwnWord {
  std::string key;                // as the paper calls it
  std::string value;              // empty: any, and the key alone is translated
  std::string common_key;         // as configs call it
  std::string common_value = {};  // the value that `value` stands for
};

/// What catalogues, tables and configs say of a system. Value type.
struct SystemInfo {
  std::string name;     // as in `tandem train NAME`, in log keys, and of its table in a config
  std::string idea;     // one line
  std::string paper;    // authors, title, year, where
  std::string repeats;  // when a run on the CPU gives the same bits again: "always", "never", ...
  std::vector<OwnWord> own_words = {};  // taken in every config of a catalogue with this system
};

/// The algorithms that a system can train with. Value type.
struct Requirements {
  LearnsFrom learns_from = LearnsFrom::rollouts;  // the experience that it gives
  bool value_methods = true;  // it keeps the target networks that methods without a policy need
  bool passes = true;         // it can go several times through the same rollouts
  bool recurrent = true;      // it carries recurrent states from acting to learning
};

/// How a system's threads wait for each other. Value type.
struct ThreadPattern {
  double stepping = 1;       // threads that step environments
  double meeting_steps = 0;  // steps per thread between two barriers; 0: no barrier
  double computing = 1;      // threads among them whose networks can be computed at one time
};

/// The experience of one update. Value type.
struct UpdateShape {
  std::int64_t steps = 5;      // of an environment, in a row
  std::int64_t samples = 160;  // of all environments
};

/// A measured cost of a system, and figures of its own that belong to it. Value type.
struct MeasuredCosts {
  StepCosts costs;                                                // of one step
  nlohmann::ordered_json own = nlohmann::ordered_json::object();  // by log key
};

/// One system with its numbers. A catalogue holds one of each as a prototype; a config holds a copy
/// whose numbers are set through fields() before any thread starts. Every member is pure virtual,
/// so that a system which forgets one does not compile.
class System {
 public:
  virtual ~System() = default;

  /// Its name, idea and paper.
  [[nodiscard]] virtual const SystemInfo& info() const = 0;
  /// A copy with numbers of its own.
  [[nodiscard]] virtual std::unique_ptr<System> clone() const = 0;

  /// Its numbers under their full keys, as "paac.t_max". Keys of one table stand together.
  [[nodiscard]] virtual FieldList fields() = 0;

  /// The algorithms that it can train with.
  [[nodiscard]] virtual Requirements requirements() const = 0;

  /// Whether a run with these numbers on the CPU gives the same bits for any number of threads.
  [[nodiscard]] virtual bool repeatable() const = 0;

  /// Environments of the whole system.
  [[nodiscard]] virtual std::int64_t envs() const = 0;

  /// How it batches its work, on which a step's costs depend.
  [[nodiscard]] virtual Batching batching() const = 0;

  /// How its threads wait, with a budget of `threads` for the process.
  [[nodiscard]] virtual ThreadPattern thread_pattern(int threads) const = 0;

  /// Updates by which the policy that acts is behind the one that learns, where the config alone
  /// says so; else a run measures them as NAME/policy_lag_updates.
  [[nodiscard]] virtual std::optional<double> lag_updates() const = 0;

  /// The key that says how many threads a run has, for measuring speed-ups.
  [[nodiscard]] virtual std::string threads_key() const = 0;

  /// Settings worth comparing on `cores` cores that environments keep busy, each a list of
  /// KEY=VALUE; an empty list is the preset as it is.
  [[nodiscard]] virtual std::vector<std::vector<std::string>> variants(int cores) const = 0;

  /// The same where environments sleep: with a thread for each of `envs` environments.
  [[nodiscard]] virtual std::vector<std::vector<std::string>> sleeping_variants(
      std::int64_t envs) const = 0;

  /// Makes an update learn from about as much as another system's does, for comparisons.
  virtual void set_update(const UpdateShape& shape) = 0;

  /// Shortens all that a training of a few seconds would only wait for.
  virtual void prepare_to_measure() = 0;

  /// What a step costs a single core, measured for about `seconds` on `cores` cores with the parts
  /// of a training that has just ended; `means` are the scalars that it logged.
  [[nodiscard]] virtual MeasuredCosts measure_costs(const TrainingContext& context,
                                                    const nlohmann::ordered_json& means, int cores,
                                                    double seconds) const = 0;

  /// Trains until the run's budget is used up or it is asked to stop. Throws Error for what the
  /// user can mend.
  virtual void train(TrainingContext& context) const = 0;
};

}  // namespace tandem
