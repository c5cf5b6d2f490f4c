// The parts of a cluster, as a process makes one of them from the run's config.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tandem/cluster/cluster_actor.h"
#include "tandem/cluster/cluster_way.h"
#include "tandem/cluster/shard.h"
#include "tandem/trainer/assembly.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// Whether the interpreter is a path that leads nowhere on this machine: the machine that wrote the
/// config may have its Python elsewhere.
[[nodiscard]] bool lacks_python(const std::string& python);

/// The config that an order names, for the machine of this process.
[[nodiscard]] Config config_of(const RoleOrder& order);

/// The config with a system that trains the same way on the cluster of `link`. Throws Error for a
/// system that has no such way.
[[nodiscard]] Config on_cluster(const Config& config, std::shared_ptr<ClusterLink> link);

/// An actor with the parts that it needs.
class ActorRole {
 public:
  /// Plans an actor; the system and the context outlive the plan.
  using PlanActor = std::function<ActorPlan(const System& system, const ActorContext& context,
                                            const RoleOrder& order)>;

  /// `state` is the actor's in a checkpoint; empty: its games begin anew. It plays as
  /// `plan_actor` says;
  /// empty: as its system does.
  ActorRole(const RoleOrder& order, std::vector<std::byte> state,
            const PlanActor& plan_actor = nullptr);

  [[nodiscard]] ClusterActor& actor() { return *actor_; }

 private:
  Assembly assembly_;
  ActorContext context_;
  std::unique_ptr<ClusterActor> actor_;
};

/// Makes a shard. It makes one environment to learn the format of the transitions.
[[nodiscard]] std::unique_ptr<Shard> make_shard(const RoleOrder& order);

/// The actors' states in the newest good checkpoint of a run, by rank; none if there is none.
[[nodiscard]] std::map<int, std::vector<std::byte>> saved_actors(const std::filesystem::path& run);

}  // namespace tandem
