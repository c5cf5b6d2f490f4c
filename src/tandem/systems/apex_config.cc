#include "tandem/systems/apex.h"

namespace tandem {

FieldList ApexConfig::fields() {
  return {
      {.key = "actors",
       .target = &actors,
       .meaning = "threads that play",
       .source = "Ape-X, section 4.1: 360 machines",
       .least = 1,
       .most = 1024},
      {.key = "envs",
       .target = &envs,
       .meaning = "environments of an actor, each with an epsilon of its own",
       .source = "Ape-X, section 3: 1",
       .least = 1,
       .most = 4096},
      {.key = "n",
       .target = &n,
       .meaning = "steps of a transition",
       .source = "Ape-X, appendix C",
       .least = 1,
       .most = 1000},
      {.key = "batch",
       .target = &batch,
       .meaning = "transitions of an update",
       .source = "Ape-X, section 4.1; appendix D: 256",
       .least = 1,
       .most = 65'536},
      {.key = "prefetch",
       .target = &prefetch,
       .meaning = "batches that are drawn ahead of the learner, at most",
       .source = "Ape-X, section 4.1",
       .least = 1,
       .most = 1024},
      {.key = "refresh_frames",
       .target = &refresh_frames,
       .meaning = "frames of an environment after which its actor takes the newest parameters",
       .source = "Ape-X, section 4.1",
       .least = 1},
      {.key = "trim_updates",
       .target = &trim_updates,
       .meaning = "updates after which what is more than replay.capacity is removed",
       .source = "Ape-X, section 4.1",
       .least = 1},
  };
}

}  // namespace tandem
