// Episodes of limited length.
#pragma once

#include <cstdint>
#include <memory>

#include "tandem/env/env.h"

namespace tandem {

/// The same environment with a time limit: an episode is truncated after `max_steps` steps, and its
/// game is over, unless it has terminated by then.
std::unique_ptr<Env> make_time_limit(std::unique_ptr<Env> env, std::int64_t max_steps);

}  // namespace tandem
