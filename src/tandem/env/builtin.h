// The environments that need no plug-in.
#pragma once

#include <memory>

#include "tandem/env/family.h"

namespace tandem {

/// The family of all environments whose id has no colon. Thread-safe: every call makes a new one.
std::unique_ptr<EnvFamily> make_builtin_family();

}  // namespace tandem
