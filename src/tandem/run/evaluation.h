// Measures how well a trained policy plays.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tandem/acting/games.h"
#include "tandem/algo/acting_rule.h"
#include "tandem/env/start_state.h"
#include "tandem/env/vec_env.h"
#include "tandem/nn/network.h"

namespace tandem {

/// The number and kind of games to play. Value type.
struct EvaluationOptions {
  int episodes = 30;          // 1 or more; 30 as in PAAC's Table 1
  Play play = Play::sampled;  // how actions are chosen
  std::uint64_t seed = 0;     // of the environments' streams
  int threads = 1;            // threads that step environments
  /// The states in which games begin: game i in starts[i % starts.size()]. Empty: games begin by a
  /// reset. The caller's memory.
  std::span<const StartState> starts = {};
  std::int64_t most_steps = 0;  // of a game; one that has not ended then is an error. 0: no limit
  /// Called after each step of all unfinished games, with the number of ended ones. An exception
  /// that it throws ends the games and reaches the caller.
  std::function<void(int ended)> on_step = [](int /*ended*/) {};
};

/// Raw returns of whole games. Value type.
struct Evaluation {
  std::vector<Episode> games;  // in the order of the environments
  double mean = 0;             // of the returns
  double median = 0;           // of the returns
  double deviation = 0;        // standard deviation of the sample (n - 1); NaN for a single game
  double least = 0;            // the lowest return
  double most = 0;             // the highest return
};

/// The most environments that play at once, which limits the memory: an emulator takes a megabyte.
inline constexpr int kGamesAtOnce = 128;

/// Steps after which a game counts as endless where nothing says how long games are. Games of Atari
/// take fewer, whose papers cap them at 108,000 frames. So do those that env.seconds ends: its hour
/// has 216,000 frames of the labyrinth, and 180,000 turns of TORCS.
inline constexpr std::int64_t kMostGameSteps = 250'000;

/// The statistics over at least one game.
Evaluation summarise(std::vector<Episode> games);

/// Plays exactly `episodes` whole games, each in its own environment. With fewer environments, the
/// first `episodes` games to end would more often be short ones. The same seed gives the same games
/// for any number of `threads`. Throws Error when an environment fails, a game is too long or a
/// start is of another environment.
Evaluation evaluate(const EvaluationOptions& options, const EnvFactory& make_env, Network& network,
                    const ActingRule& rule);

}  // namespace tandem
