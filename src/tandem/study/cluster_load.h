// The load that a training puts on the parts and machines of a cluster.
#pragma once

#include "tandem/cluster/cluster_work.h"
#include "tandem/study/carrier_costs.h"

namespace tandem {

/// The size of a cluster. Value type.
struct ClusterShape {
  double actors = 1;
  double shards = 1;
  double machines = 1;        // one has the learner and the shards; actors play on all
  double cores = 1;           // of each machine
  double network_bytes = 0;   // a second, into and out of each machine; 0: no limit
  bool shared_cores = false;  // the machines are hosts of one machine, which has `cores` in all

  /// CPUs that the learner and its shards need on one machine, as Ray counts them.
  [[nodiscard]] double learner_cpus() const;
  /// Actors on the learner's machine. As many play on each machine, unless the learner and its
  /// shards leave too little room there.
  [[nodiscard]] double near_actors() const;
  /// Actors on all other machines.
  [[nodiscard]] double far_actors() const;
  /// Actors that no machine has a core for.
  [[nodiscard]] double waiting_actors() const;
};

/// Rates of a training. Value type.
struct ClusterRates {
  double near_steps = 0;  // a second, of the actors on the learner's machine
  double far_steps = 0;   // a second, of all other actors
  double updates = 0;     // a second

  [[nodiscard]] double steps() const { return near_steps + far_steps; }
};

/// The load at given rates. A share is that of the time for which a thread is busy. Value type.
struct ClusterLoad {
  double actor = 0;          // share of an actor's thread that plays
  double learner = 0;        // share of the learner's main thread
  double unpacking = 0;      // share of the learner's thread that unpacks samples
  double shard = 0;          // share of a shard's thread that draws
  double messages = 0;       // a second, to and from the learner
  double publications = 0;   // that reach an actor in a second
  double actor_cores = 0;    // busy with all actors
  double learner_cores = 0;  // busy with the learner
  double shard_cores = 0;    // busy with all shards
  double carrier_cores = 0;  // busy with Ray's own processes and the driver
  double near_cores = 0;     // busy on the learner's machine
  double far_cores = 0;      // busy on each other machine
  double network_in = 0;     // bytes a second into the learner's machine
  double network_out = 0;    // bytes a second out of it
};

/// The load of a cluster at these rates, whether it can carry it or not. Pure.
[[nodiscard]] ClusterLoad load_of(const ClusterWork& work, const CarrierCosts& carrier,
                                  const ClusterShape& shape, const ClusterRates& rates);

/// Memory that a cluster needs once its replay is full, in bytes. Value type.
struct ClusterMemory {
  double shard = 0;             // one shard's process
  double actor = 0;             // one actor's process
  double actors_machine = 0;    // all of a machine that has actors alone
  double learners_machine = 0;  // all of the machine with the learner and the shards
};

/// The memory at these rates, which decide by how much the replay exceeds its capacity. Pure.
[[nodiscard]] ClusterMemory memory_of(const ClusterWork& work, const CarrierCosts& carrier,
                                      const ClusterShape& shape, const ClusterRates& rates);

}  // namespace tandem
