// A2C, the baseline of other papers: PAAC whose workers wait for each other at each step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tandem/trainer/config.h"

namespace tandem {

/// Settings with which PAAC's environments wait for each other at each step, up to 256 of them;
/// none for another system. Pure.
[[nodiscard]] std::vector<Setting> one_group(const std::string& system);

/// A config with one group of `envs` environments and a worker for each, on the task that the
/// settings give. Throws Error as load_config does.
[[nodiscard]] Config a2c_config(std::int64_t envs, std::vector<Setting> task);

}  // namespace tandem
