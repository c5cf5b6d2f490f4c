// Environments in which trained agents play whole games.
#pragma once

#include <optional>
#include <string>

#include "tandem/io/settings.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// Lets a lost life end no episode, where the environment has lives.
void play_whole_games(EnvConfig& env);

/// The setting of the environment's key noop_max with which games start as `start` says: "noop", up
/// to 30 no-ops at random, or "fixed", none. Empty for any other word, which leaves them as in
/// training. `where` is the user's option, for messages. Throws Error if the environment has no
/// no-op starts.
[[nodiscard]] std::optional<Setting> start_setting(const std::string& start, EnvConfig& env,
                                                   const std::string& where);

}  // namespace tandem
