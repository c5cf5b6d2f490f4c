// Brings a system with a queue of experiences to rest.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "tandem/run/training_run.h"
#include "tandem/sync/team.h"
#include "tandem/systems/common/experience.h"

namespace tandem {

/// Lets the actors finish their current experience and the learners empty the queue. Both teams
/// then rest until their next resize(). `learn` makes one update in the calling thread; it returns
/// false once the queue is closed and empty. Throws Stopped when the crew was stopped.
inline void drain(Team& actors, TrainingQueue& queue, Team& learners,
                  const std::function<bool()>& learn) {
  actors.rest();
  queue.close();
  learners.rest();
  while (learn()) continue;
  queue.open();
}

/// Whether an actor should play on. Once the run is done, this sleeps a moment and returns false:
/// the actors still ask until the last checkpoint, and must neither play nor spin meanwhile.
inline bool plays_on(const TrainingRun& run) {
  if (!run.done()) return true;
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return false;
}

}  // namespace tandem
