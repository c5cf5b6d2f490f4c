// Measures the memory of an environment.
#pragma once

#include "tandem/env/vec_env.h"

namespace tandem {

/// The bytes of one of these environments in a group of `together`, beside those that all share.
/// Counts the processes in which some environments play, such as Gymnasium's. Makes a group.
[[nodiscard]] double env_bytes(const EnvFactory& make_env, int together = 8);

}  // namespace tandem
