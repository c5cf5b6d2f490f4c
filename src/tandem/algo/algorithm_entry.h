// An algorithm in configs and catalogues: its name, traits and hyperparameters, and a function that
// makes it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "tandem/algo/algorithm.h"
#include "tandem/algo/traits.h"
#include "tandem/base/field.h"
#include "tandem/env/env.h"

namespace tandem {

/// The task that an algorithm is made for. Value type; a view.
struct AlgorithmTask {
  const EnvSpec& spec;     // of the environments
  std::uint64_t seed = 1;  // of the run
  std::int64_t envs = 1;   // the actors' environments; each may explore in its own way
  bool dueling = false;    // whether the network has separate streams for value and advantages
};

/// The facts of an algorithm that catalogues, tables and configs show. Value type.
struct AlgorithmInfo {
  std::string name;   // as in algo = NAME
  std::string idea;   // a description in one line
  std::string table;  // config table of its keys, such as "q"; several algorithms may share one
  AlgorithmTraits traits = {};  // its abilities
};

/// One algorithm of a catalogue, with its hyperparameters. They are set through fields() before any
/// thread starts; afterwards it is safe to use from many threads.
class AlgorithmEntry {
 public:
  virtual ~AlgorithmEntry() = default;

  /// Its name and traits.
  [[nodiscard]] virtual const AlgorithmInfo& info() const = 0;

  /// Its hyperparameters under their short keys ("gamma").
  [[nodiscard]] virtual FieldList fields() = 0;

  /// A copy with hyperparameters of its own.
  [[nodiscard]] virtual std::unique_ptr<AlgorithmEntry> clone() const = 0;

  /// Makes the algorithm. Throws Error when the hyperparameters do not fit the task.
  [[nodiscard]] virtual Algorithm make(const AlgorithmTask& task) const = 0;
};

/// An entry whose hyperparameters are a struct with a member fields().
template <class Numbers>
class AlgorithmEntryOf final : public AlgorithmEntry {
 public:
  /// Makes the algorithm with these hyperparameters. Throws Error when they do not fit the task.
  using Make = std::function<Algorithm(const Numbers&, const AlgorithmTask&)>;

  /// `make` must be safe to call from several threads at once.
  AlgorithmEntryOf(AlgorithmInfo info, Make make)
      : info_(std::move(info)), make_(std::move(make)) {}

  [[nodiscard]] const AlgorithmInfo& info() const override { return info_; }
  [[nodiscard]] FieldList fields() override { return numbers.fields(); }
  [[nodiscard]] std::unique_ptr<AlgorithmEntry> clone() const override {
    return std::make_unique<AlgorithmEntryOf>(*this);
  }
  [[nodiscard]] Algorithm make(const AlgorithmTask& task) const override {
    return make_(numbers, task);
  }

  Numbers numbers;  // the hyperparameters, set through fields()

 private:
  AlgorithmInfo info_;
  Make make_;
};

}  // namespace tandem
