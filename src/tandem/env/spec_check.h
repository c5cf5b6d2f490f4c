// Checks what an environment says of itself.
#pragma once

#include "tandem/env/env.h"

namespace tandem {

/// Throws Error, which names the field, for a spec that no environment can have: without the sizes
/// of a frame, with bounds of another number of actions, and so on. A plug-in's author may have
/// forgotten one. Pure.
void require_sane(const EnvSpec& spec);

}  // namespace tandem
