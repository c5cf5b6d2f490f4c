// A worker's description of its environments.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tandem/env/env.h"

namespace tandem {

/// The spec of environments that a worker describes (`describe` in worker.py), with `stack` frames
/// an observation. Throws Error, with the worker's words, when it could not make its environments.
[[nodiscard]] EnvSpec spec_of(const nlohmann::json& description, std::int64_t stack);

/// Whether both have the same observations and actions.
[[nodiscard]] bool alike(const EnvSpec& a, const EnvSpec& b);

}  // namespace tandem
