// Finds an environment by its name for the Python classes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tandem/env/env.h"
#include "tandem/trainer/env_config.h"

namespace tandem::python {

/// Options of an environment as texts: ("frame_skip", "4").
using Options = std::vector<std::pair<std::string, std::string>>;

using FoundEnvironment = std::pair<EnvConfig, EnvSpec>;

/// Looks an environment up and makes one of it, which may take minutes where another process
/// imports its libraries. `threads` is its number of processes, unless `options` name one. Ctrl-C
/// ends the wait; the other process then ends by itself. Called with the GIL, which it releases
/// while it waits. Throws tandem::Error if there is no such environment or option.
FoundEnvironment find_environment(const std::string& id, const Options& options, int threads);

}  // namespace tandem::python
