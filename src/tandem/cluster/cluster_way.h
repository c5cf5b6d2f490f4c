// How a system trains on a cluster.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tandem/cluster/cluster_actor.h"
#include "tandem/cluster/cluster_link.h"
#include "tandem/cluster/cluster_work.h"
#include "tandem/cluster/shard.h"
#include "tandem/systems/common/actor_context.h"
#include "tandem/systems/system.h"

namespace tandem {

/// The cluster and the part that a process is to be. Value type.
struct RoleOrder {
  std::string config;             // the run's config, as TOML
  std::string python = {};        // the interpreter of environments in Python on this machine
  std::uint64_t run = 0;          // see Sender
  std::uint32_t epoch = 1;        // of the learner
  std::uint64_t incarnation = 1;  // of the part
  int rank = 0;                   // of the actor or the shard
  int shards = 1;                 // of the cluster

  /// The part as a sender of messages; `first_part` is the number of its kind's first part.
  [[nodiscard]] Sender self(std::uint32_t first_part) const {
    return {.run = run,
            .epoch = epoch,
            .part = first_part + static_cast<std::uint32_t>(rank),
            .incarnation = incarnation};
  }

  /// A seed for the part. A part that begins anew draws other numbers: the same could end in the
  /// same error.
  [[nodiscard]] std::uint64_t seed(std::uint64_t seed) const { return seed + incarnation - 1; }
};

/// How an actor of one system plays and sends. Value type.
struct ActorPlan {
  std::vector<std::string> receivers = {};  // see ClusterActorOptions, as the next two
  std::int64_t window = 0;
  bool lockstep = false;
  ClusterActor::MakePlayer make_player = {};
};

/// One system on a cluster. A list has one of each; many threads may share it.
class ClusterWay {
 public:
  virtual ~ClusterWay() = default;

  /// Whether it is the way of this system.
  [[nodiscard]] virtual bool serves(const System& system) const = 0;

  /// The config key of the number of actors.
  [[nodiscard]] virtual std::string actors_key() const = 0;

  /// Whether shards hold a replay.
  [[nodiscard]] virtual bool has_shards() const = 0;

  /// A system that trains as `system` does, with the parts that `link` connects.
  [[nodiscard]] virtual std::unique_ptr<System> on_cluster(
      const System& system, std::shared_ptr<ClusterLink> link) const = 0;

  /// The plan of an actor. `system` and `context` must outlive it.
  [[nodiscard]] virtual ActorPlan plan_actor(const System& system, const ActorContext& context,
                                             const RoleOrder& order) const = 0;

  /// The settings of a shard of a run with this seed; only if has_shards().
  [[nodiscard]] virtual ShardOptions shard_options(const System& system, const EnvSpec& spec,
                                                   std::uint64_t seed,
                                                   const RoleOrder& order) const = 0;

  /// Measures the work of the parts, for about `seconds` on `cores` cores at once; the learner has
  /// context.threads threads. Throws Error for a system that has no such measurement.
  [[nodiscard]] virtual ClusterWork measure_work(const System& system,
                                                 const TrainingContext& context, int cores,
                                                 double seconds) const = 0;
};

/// The way of a system. Throws Error, with the systems that have one, if it has none.
[[nodiscard]] const ClusterWay& cluster_way_of(const System& system);

}  // namespace tandem
