#include "tandem/systems/a3c/a3c_config.h"

namespace tandem {

FieldList A3cConfig::fields() {
  return {
      {.key = "learners",
       .target = &learners,
       .meaning = "actor-learner threads, each with an environment and parameters of its own; as "
                  "many as this run, whatever run.threads is",
       .source = "A3C, section 5.1",
       .least = 1,
       .most = 1024},
      {.key = "t_max",
       .target = &t_max,
       .meaning = "most steps of a thread between two of its updates (t_max, I_asyncUpdate)",
       .source = "A3C, section 5.1",
       .least = 1,
       .most = 10000},
      {.key = "shared_statistics",
       .target = &sharing.shared_statistics,
       .meaning = "rmsprop: one mean square for all threads (Shared RMSProp), else one a thread",
       .source = "A3C, section 4.5"},
      {.key = "locking",
       .target = &sharing.locking,
       .meaning = "threads update one after another instead of overwriting each other",
       .source = "for comparison; A3C, section 4.5, does without"},
      {.key = "own_targets",
       .target = &own_targets,
       .meaning = "value methods: each thread has a target network of its own, which it refreshes "
                  "every target_frames / learners of its own frames, instead of one for all",
       .source = "A3C, section 4.1, a variant"},
      {.key = "act_by_target",
       .target = &act_by_target,
       .meaning = "value methods: the target network chooses the actions, instead of the network "
                  "that learns",
       .source = "A3C, section 4.1, a variant"},
  };
}

}  // namespace tandem
