// A2C as other papers compare with it: PAAC whose workers wait for each other at each step.
#pragma once

#include <cstdint>
#include <vector>

#include "tandem/trainer/config.h"

namespace tandem {

/// One group of `envs` environments with a worker for each, on the task that the settings name.
/// Throws Error as load_config does.
[[nodiscard]] Config a2c_config(std::int64_t envs, std::vector<Setting> task);

}  // namespace tandem
