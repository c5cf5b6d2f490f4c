// Episodes of limited length.
#pragma once

#include <cstdint>
#include <memory>

#include "tandem/env/env.h"

namespace tandem {

/// The same environment, whose game is over and truncated after `max_steps` steps unless it ended
/// before.
std::unique_ptr<Env> make_time_limit(std::unique_ptr<Env> env, std::int64_t max_steps);

}  // namespace tandem
