// A learner of Ape-X that learns nothing, to load a replay.
#pragma once

#include <atomic>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "tandem/cluster/actor_roll.h"
#include "tandem/cluster/cluster_link.h"
#include "tandem/cluster/pace.h"
#include "tandem/cluster/publisher.h"
#include "tandem/cluster/remote_replay.h"
#include "tandem/learn/shared_model.h"
#include "tandem/sync/crew.h"
#include "tandem/trainer/assembly.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// Makes the messages of Algorithm 2 on a cluster without its computing: draws batches, gives them
/// random priorities, trims as the config says, publishes the same parameters each second, and
/// hears the actors' reports. Safe to use from many threads.
class DrawingLearner {
 public:
  /// Begins at once. Infinity: as many batches as it can. Throws Error for a system other than
  /// Ape-X. `link` must outlive it.
  DrawingLearner(const Config& config, ClusterLink& link, double batches_per_second);
  ~DrawingLearner();
  DrawingLearner(const DrawingLearner&) = delete;
  DrawingLearner& operator=(const DrawingLearner&) = delete;

  /// Changes the rate from now on.
  void set_rate(double batches_per_second) { pace_.set(batches_per_second); }

  /// Numbers for people: batches, samples, bytes of observations in them, transitions in the
  /// replay, batches that were lost, steps that the actors reported.
  [[nodiscard]] nlohmann::ordered_json status() const;

  /// Throws the error that ended it, if there was one, once.
  void raise_error();

 private:
  void draw();
  void end();

  Assembly assembly_;
  const ActorContext context_;
  ClusterLink& link_;
  Pace pace_;  // of batches
  Crew crew_;
  SharedModel model_;
  RemoteReplay replay_;
  Publisher publisher_;  // the thread of that name uses it alone
  std::atomic<std::int64_t> steps_ = 0;
  ActorRoll roll_;
  std::atomic<std::int64_t> batches_ = 0;
};

}  // namespace tandem
