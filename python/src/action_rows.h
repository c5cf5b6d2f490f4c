// The actions of a call, checked and in the environments' own form.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tandem/env/env.h"

namespace tandem::python {

/// Arrays as Python gives them: they lie in the CPU's memory, row by row.
using Discrete = nanobind::ndarray<const std::int64_t, nanobind::ndim<1>, nanobind::c_contig,
                                   nanobind::device::cpu>;
using Continuous =
    nanobind::ndarray<const float, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

/// Copies an action for each row, an agent of an environment, from an array of Python's. Reading
/// throws tandem::Error, and names the environment, if a shape or a number does not fit the spec;
/// the rows are then undefined. One thread at a time.
class ActionRows {
 public:
  /// Has room for `count` environments.
  ActionRows(const EnvSpec& spec, int count);

  /// Reads the actions [rows], from spec.first_action on, of the environments with these ids.
  void read(const Discrete& actions, std::span<const int> ids);
  /// Reads the actions [rows, numbers of an action] of the environments with these ids.
  void read(const Continuous& actions, std::span<const int> ids);

  /// The rows that were read last. They are valid until the next read().
  [[nodiscard]] std::span<const Action> rows() const {
    return std::span(actions_).first(read_rows_);
  }

 private:
  [[nodiscard]] std::string owner(std::size_t row, std::span<const int> ids) const;

  EnvSpec spec_;
  std::size_t agents_;
  std::size_t read_rows_ = 0;
  std::vector<Action> actions_;
  std::vector<float> continuous_;  // to which actions_ refer
};

}  // namespace tandem::python
