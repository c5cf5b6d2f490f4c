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
  const EnvSpec& spec;
  std::uint64_t seed = 1;
  std::int64_t envs = 1;  // environments that explore, each in its own way
  bool dueling = false;   // whether the network has one stream for the value and one for the
                          // advantages
};

/// An algorithm in words. Value type.
struct AlgorithmInfo {
  std::string name;   // as in algo = NAME
  std::string idea;   // one line
  std::string table;  // its table in a config: "q"; several algorithms may share one
  AlgorithmTraits traits = {};
};

/// One algorithm of a catalogue, with its numbers. Its numbers are set through fields() before any
/// thread starts; afterwards it is safe to use from many threads.
class AlgorithmEntry {
 public:
  virtual ~AlgorithmEntry() = default;

  [[nodiscard]] virtual const AlgorithmInfo& info() const = 0;

  /// Its numbers under their short keys ("gamma").
  [[nodiscard]] virtual FieldList fields() = 0;

  [[nodiscard]] virtual std::unique_ptr<AlgorithmEntry> clone() const = 0;

  /// Throws Error when the numbers do not fit the task.
  [[nodiscard]] virtual Algorithm make(const AlgorithmTask& task) const = 0;
};

/// An entry whose numbers are a struct with a member fields().
template <class Numbers>
class AlgorithmEntryOf final : public AlgorithmEntry {
 public:
  using Make = std::function<Algorithm(const Numbers&, const AlgorithmTask&)>;

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

  Numbers numbers;

 private:
  AlgorithmInfo info_;
  Make make_;
};

}  // namespace tandem
