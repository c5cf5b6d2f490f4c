// Measures the memory of an environment.
#pragma once

#include "tandem/env/vec_env.h"

namespace tandem {

/// The bytes of one of these environments, beside those that all share. Makes some of them.
[[nodiscard]] double env_bytes(const EnvFactory& make_env);

}  // namespace tandem
