// How a run is evaluated while it trains.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tandem/run/checkpoint.h"
#include "tandem/run/evaluation.h"
#include "tandem/run/evaluation_record.h"

namespace tandem {

/// Plays whole games with the parameters of a snapshot, in environments that `threads` threads
/// step. Calls `after_step` with the number of ended games after each step of the games; an
/// exception of it ends the games and reaches the caller. Several threads may call it, one at a
/// time.
using PlayGames = std::function<Evaluation(const Checkpoint& snapshot, int threads,
                                           const std::function<void(int ended)>& after_step)>;

/// The options of an Evaluator. Value type.
struct EvaluatorOptions {
  std::int64_t every = 0;            // steps of the training between two evaluations; at least 1
  std::int64_t episodes = 10;        // games of each evaluation, for messages
  EvaluationProtocol protocol = {};  // how `play` plays, for the records
  PlayGames play = {};               // plays the games of one evaluation
  int threads = 1;                   // threads for evaluations after the training
  double share = kShare;             // of one core's time, for evaluations during the training
  double collect_share = kCollect;   // of the training's time, for making snapshots
  /// Whether the games are computed outside the evaluator's thread, such as in other processes or
  /// on a GPU. The whole time of a step then counts as work, not only the thread's processor time.
  bool elsewhere = false;
  /// Receives messages for the user. Any thread may call it.
  std::function<void(const std::string&)> warn = [](const std::string&) {};

  /// The share of one core for each thread that the training may use.
  static constexpr double kShare = 0.025;
  /// The same where the run ends by an evaluation: it plays sooner, so the training goes on less
  /// long in vain.
  static constexpr double kAwaitedShare = 0.1;
  /// The share of the training's time for snapshots.
  static constexpr double kCollect = 0.005;
};

}  // namespace tandem
