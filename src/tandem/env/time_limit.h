// Episodes of limited length.
#pragma once

#include <cstdint>
#include <memory>

#include "tandem/env/env.h"

namespace tandem {

/// The same environment with a limit: after `max_steps` steps its game is over and truncated,
/// unless it ended before.
std::unique_ptr<Env> make_time_limit(std::unique_ptr<Env> env, std::int64_t max_steps);

}  // namespace tandem
