// Environments in which trained agents play whole games.
#pragma once

#include <string>

#include "tandem/trainer/env_config.h"

namespace tandem {

/// Lets a lost life end no episode, where the environment has lives.
void play_whole_games(EnvConfig& env);

/// Lets games start by `start`: "noop", up to 30 no-ops at random, or "fixed", none. `where` is the
/// user's option, for messages. Throws Error for any other word, and if the environment has no
/// no-op starts.
void choose_start(EnvConfig& env, const std::string& start, const std::string& where);

}  // namespace tandem
