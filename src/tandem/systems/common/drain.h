// How systems with a queue of experiences come to rest.
#pragma once

#include <functional>

#include "tandem/sync/team.h"
#include "tandem/systems/common/experience.h"

namespace tandem {

/// Actors finish the experience that they are at, then everything in the queue is learned from, and
/// both teams rest until their next resize(). `learn` makes one update in the calling thread: it
/// returns false once the queue is closed and empty. Throws Stopped when the crew was stopped.
inline void drain(Team& actors, TrainingQueue& queue, Team& learners,
                  const std::function<bool()>& learn) {
  actors.rest();
  queue.close();
  learners.rest();
  while (learn()) continue;
  queue.open();
}

}  // namespace tandem
