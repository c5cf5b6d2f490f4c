// The options of Gymnasium environments.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tandem/base/field.h"

namespace tandem {

/// How Gymnasium environments are made, and by how many worker processes. Value type.
struct GymOptions {
  std::string kwargs = {};    // a JSON object; empty: none
  std::string wrappers = {};  // module:Class, separated by commas, innermost first
  std::string pickle = {};    // a file with a callable that makes an environment; empty: by its id
  std::string python = {};    // an interpreter; empty: by the rule of interpreter()
  std::int64_t workers = 0;   // processes of a group; 0: as many as cores
  double timeout_seconds = 60;  // of a step or reset
  std::int64_t stack = 1;       // frames in an observation
  /// Set once nobody waits for the environments any more (EnvFamily::abandon). Copies share it, and
  /// no field sets it.
  std::shared_ptr<std::atomic<bool>> abandoned = std::make_shared<std::atomic<bool>>(false);

  FieldList fields();

  /// The words of `wrappers`.
  [[nodiscard]] std::vector<std::string> wrapper_names() const;
  /// `python`, or else $TANDEM_PYTHON, or else the python3 of an active virtual environment, or
  /// else that of setup_python(), or else python3 on $PATH.
  [[nodiscard]] std::string interpreter() const;
};

}  // namespace tandem
