// An environment that costs nothing, to measure everything else.
#pragma once

#include "tandem/env/vec_env.h"

namespace tandem {

/// Environments with the spec of those that `real` makes. They show the first frame of one of them
/// for ever and never end. Usable by several threads. Throws Error when `real` cannot make one.
[[nodiscard]] EnvFactory free_envs(const EnvFactory& real);

}  // namespace tandem
