// Experience that actors send to learners.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "tandem/base/clock.h"
#include "tandem/data/rollout.h"
#include "tandem/env/vec_env.h"
#include "tandem/sync/annotations.h"
#include "tandem/sync/mutex.h"
#include "tandem/sync/queue.h"

namespace tandem {

/// Up to t_max steps of one actor. Value type.
struct Experience {
  Rollout rollout;
  std::vector<Episode> episodes = {};  // games that ended in it
  TimeShares seconds = {};
  std::int64_t version = 0;  // of the model that chose its first action
};

/// A queue of experiences: GA3C's training queue (section 4.1), or IMPALA's queue between actors
/// and learner.
using TrainingQueue = Queue<std::unique_ptr<Experience>>;

/// Experiences that learners have used, so that actors can overwrite them. Safe to use from many
/// threads.
class UsedExperiences {
 public:
  /// Null if there is none.
  std::unique_ptr<Experience> take() {
    const Lock lock(mutex_);
    if (used_.empty()) return nullptr;
    auto one = std::move(used_.back());
    used_.pop_back();
    return one;
  }

  void give(std::vector<std::unique_ptr<Experience>>& batch) {
    const Lock lock(mutex_);
    std::ranges::move(batch, std::back_inserter(used_));
    batch.clear();
  }

 private:
  Mutex mutex_;
  std::vector<std::unique_ptr<Experience>> used_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem
