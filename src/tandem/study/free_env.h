// An environment that takes no time, so that a measurement shows the cost of everything else.
#pragma once

#include "tandem/env/vec_env.h"

namespace tandem {

/// Makes environments with the spec of the real ones. They always show the first frame of a real
/// one, and their episodes never end. Usable by several threads. Throws Error when `real` cannot
/// make an environment.
[[nodiscard]] EnvFactory free_envs(const EnvFactory& real);

}  // namespace tandem
