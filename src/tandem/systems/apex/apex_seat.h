// An actor's place in a run of Ape-X.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tandem/acting/actor_played.h"
#include "tandem/acting/reward_scale.h"
#include "tandem/env/vec_env.h"
#include "tandem/replay/table.h"
#include "tandem/run/checkpoint.h"
#include "tandem/sync/annotations.h"
#include "tandem/sync/fair_mutex.h"
#include "tandem/systems/apex/apex_actor.h"

namespace tandem {

/// An actor's place, which outlives the actor: after an error a new actor begins there with the
/// same environments, and so with the same epsilon (appendix F, "Failure Tolerance"). It is a lock
/// that must be held for each call; its holder sees the actor between two steps.
class TANDEM_CAPABILITY("seat") ApexSeat {
 public:
  using MakeActor = std::function<std::unique_ptr<ApexActor>(const ApexActorOptions&)>;

  /// The actor may begin anew `restarts` times.
  ApexSeat(const ApexActorOptions& options, std::int64_t restarts, MakeActor make_actor);

  void lock() TANDEM_ACQUIRE() { mutex_.lock(); }
  void unlock() TANDEM_RELEASE() { mutex_.unlock(); }

  /// Takes one step in every environment; after an error it begins anew instead. Throws the actor's
  /// error once it has failed too often, and Diverged at once.
  void step() TANDEM_REQUIRES(this);

  /// Inserts the segments that the last step filled into `table`, `copies` times.
  void send(Table& table, std::int64_t copies) TANDEM_REQUIRES(this);

  /// The play since the last call; nothing if there was none and there is no actor.
  std::optional<ActorPlayed> take_played() TANDEM_REQUIRES(this);

  /// Saves the actor in a checkpoint by this name, and how many successors there were. A seat whose
  /// actor has not begun again since the run was resumed keeps its state of `resume`, which may be
  /// null. An actor that failed and has no successor yet leaves no state.
  void save(const Checkpoint* resume, const std::string& name, Checkpoint& checkpoint) const
      TANDEM_REQUIRES(this);

  /// Restores what save() wrote by this name: makes the actor if its state is there, and lets the
  /// next one draw otherwise than those before it.
  void load(const Checkpoint& resume, const std::string& name) TANDEM_REQUIRES(this);

 private:
  void begin() TANDEM_REQUIRES(this);
  void succeed() TANDEM_REQUIRES(this);
  void drop(const std::exception& error) TANDEM_REQUIRES(this);

  ApexActorOptions options_ TANDEM_GUARDED_BY(this);
  const std::int64_t restarts_;
  const MakeActor make_actor_;
  FairMutex mutex_;
  std::unique_ptr<ApexActor> actor_ TANDEM_GUARDED_BY(this);            // null before it has begun
  std::vector<std::unique_ptr<Segment>> full_ TANDEM_GUARDED_BY(this);  // filled by its last step
  std::int64_t steps_ TANDEM_GUARDED_BY(this) = 0;                      // since the last report
  std::vector<Episode> ended_ TANDEM_GUARDED_BY(this);                  // of actors that are gone
  std::optional<RewardScale> reward_scale_ TANDEM_GUARDED_BY(this);     // of an actor that is gone
  std::int64_t restarted_ TANDEM_GUARDED_BY(this) = 0;   // times since the run began or resumed
  std::int64_t successors_ TANDEM_GUARDED_BY(this) = 0;  // in all, of which each had its own seed
};

}  // namespace tandem
