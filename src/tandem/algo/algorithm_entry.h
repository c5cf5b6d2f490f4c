// An algorithm as configs and catalogues know it: its name, its traits, its numbers, and a function
// that makes it.
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
  std::int64_t envs = 1;   // that explore, each in its own way
  bool dueling = false;    // the network has a stream for the value, one for the advantages
};

/// The facts of an algorithm that catalogues, tables and configs show. Value type.
struct AlgorithmInfo {
  std::string name;             // as in algo = NAME
  std::string idea;             // one line
  std::string table;            // of its keys in a config: "q"; several algorithms may share one
  AlgorithmTraits traits = {};  // its abilities
};

/// One algorithm of a catalogue, with its numbers. Its numbers are set through fields() before any
/// thread starts; afterwards it is safe to use from many threads.
class AlgorithmEntry {
 public:
  virtual ~AlgorithmEntry() = default;

  /// Its name and traits.
  [[nodiscard]] virtual const AlgorithmInfo& info() const = 0;

  /// Its numbers under their short keys ("gamma").
  [[nodiscard]] virtual FieldList fields() = 0;

  /// A copy with numbers of its own.
  [[nodiscard]] virtual std::unique_ptr<AlgorithmEntry> clone() const = 0;

  /// Throws Error when the numbers do not fit the task.
  [[nodiscard]] virtual Algorithm make(const AlgorithmTask& task) const = 0;
};

/// An entry whose numbers are a struct with a member fields().
template <class Numbers>
class AlgorithmEntryOf final : public AlgorithmEntry {
 public:
  /// Makes the algorithm of these numbers. Throws Error for numbers that do not fit the task.
  using Make = std::function<Algorithm(const Numbers&, const AlgorithmTask&)>;

  /// Several threads may call `make` at once.
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

  Numbers numbers;  // as its fields() set them

 private:
  AlgorithmInfo info_;
  Make make_;
};

}  // namespace tandem
