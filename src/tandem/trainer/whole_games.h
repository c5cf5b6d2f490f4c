// Environments in which trained agents play whole games.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tandem/trainer/env_config.h"

namespace tandem {

/// Lets a lost life end no episode, where the environment has lives. Where FIRE begins the agent's
/// episodes (env.fire_reset), its lives stay episodes: it has not learned to press FIRE, without
/// which Breakout's ball is never served again. A score is that of the whole game in any case.
void play_whole_games(EnvConfig& env);

/// Lets games start by `start`: "noop", up to 30 no-ops at random, or "fixed", none. `where` is the
/// user's option, for messages. Throws Error for any other word, and if the environment has no
/// no-op starts.
void choose_start(EnvConfig& env, const std::string& start, const std::string& where);

/// The frames of 30 minutes of play on Atari, at 60 a second: the limit of a game in A3C (Table 3,
/// "30 minutes emulator time") and in van Hasselt et al. 2015, whose protocol A3C follows (5.2.1).
inline constexpr std::int64_t kThirtyMinutes = 108'000;

/// Cuts games off after 30 minutes, whatever limit the config had, in environments that count
/// frames (env.max_frames). All others keep their own limits.
void limit_to_thirty_minutes(EnvConfig& env);

/// The emulated frames after which games are cut off, counted from their beginning; 0: never;
/// empty: the environment counts none.
[[nodiscard]] std::optional<std::int64_t> most_frames(EnvConfig env);

/// The steps after which an evaluation takes a game for an endless one: kMostGameSteps, or 0 for
/// never where the config itself says when games end (env.max_frames, env.max_steps, or
/// max_episode_steps in env.kwargs).
[[nodiscard]] std::int64_t most_game_steps(EnvConfig env);

/// Sets the rules of an evaluation protocol: "noop", up to 30 no-ops and 30 minutes, or
/// "sampled_starts", 30 minutes. Throws Error for any other word and as choose_start() does.
void choose_protocol(EnvConfig& env, const std::string& protocol);

}  // namespace tandem
