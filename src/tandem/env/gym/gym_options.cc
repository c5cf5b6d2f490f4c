#include "tandem/env/gym/gym_options.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "tandem/base/places.h"

namespace tandem {

FieldList GymOptions::fields() {
  constexpr double kMostWorkers = 1024;
  constexpr double kMostSeconds = 1e6;
  return {
      {.key = "kwargs",
       .target = &kwargs,
       .meaning = "arguments of the environment, a JSON object: {\"gravity\": -5}"},
      {.key = "wrappers",
       .target = &wrappers,
       .meaning = "wrappers around it, innermost first: module:Class,module:Class"},
      {.key = "pickle",
       .target = &pickle,
       .meaning =
           "file with a pickled callable that makes an environment, whose id is then a label; "
           "the Python package writes the callable itself, after base64:"},
      {.key = "python",
       .target = &python,
       .meaning = "Python interpreter of the workers; empty: $TANDEM_PYTHON, or else that of an "
                  "active virtual environment, or else that of .venv, or else python3"},
      {.key = "workers",
       .target = &workers,
       .meaning = "processes that step the environments of a group; 0: as many as cores",
       .least = 0,
       .most = kMostWorkers},
      {.key = "timeout_seconds",
       .target = &timeout_seconds,
       .meaning = "longest time of a step or reset; a start may take five times as long",
       .least = 0.01,
       .most = kMostSeconds},
      {.key = "stack",
       .target = &stack,
       .meaning = "frames in an observation",
       .least = 1,
       .most = 64},
  };
}

std::vector<std::string> GymOptions::wrapper_names() const {
  std::vector<std::string> names;
  std::istringstream words(wrappers);
  for (std::string word; std::getline(words, word, ',');) {
    const auto begin = word.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    names.push_back(word.substr(begin, word.find_last_not_of(' ') - begin + 1));
  }
  return names;
}

std::string GymOptions::interpreter() const {
  if (!python.empty()) return python;
  if (is_set("TANDEM_PYTHON")) return std::getenv("TANDEM_PYTHON");
  for (const char* active : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (!is_set(active)) continue;
    const auto python = std::filesystem::path(std::getenv(active)) / "bin/python3";
    if (std::filesystem::exists(python)) return python.string();
  }
  const auto ours = setup_python();
  return ours.empty() ? "python3" : ours.string();
}

}  // namespace tandem
