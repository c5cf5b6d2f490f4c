#include "tandem/systems/ga3c/ga3c_config.h"

#include "tandem/systems/ga3c/ga3c_adjustment.h"

namespace tandem {

FieldList Ga3cConfig::fields() {
  return {
      {.key = "agents",
       .target = &agents,
       .meaning = "threads that play, each with environments of its own (N_A)",
       .source = "GA3C, section 4.1; its code starts 32",
       .least = 1,
       .most = Ga3cThreads::kMost.agents},
      {.key = "envs",
       .target = &envs,
       .meaning = "environments of one agent, which asks for all of them at once: fewer threads to "
                  "switch between. From 2 on, experiences go on beyond the end of an episode",
       .source = "GA3C, section 4.1: 1",
       .least = 1,
       .most = 1024},
      {.key = "predictors",
       .target = &predictors,
       .meaning = "threads that answer the agents, a batch at a time (N_P)",
       .source = "GA3C, section 4.3",
       .least = 1,
       .most = Ga3cThreads::kMost.predictors},
      {.key = "trainers",
       .target = &trainers,
       .meaning = "threads that learn from the agents' experiences (N_T)",
       .source = "GA3C, section 4.3",
       .least = 1,
       .most = Ga3cThreads::kMost.trainers},
      {.key = "t_max",
       .target = &t_max,
       .meaning = "most steps of one experience (t_max)",
       .source = "GA3C, section 4.1",
       .least = 1,
       .most = 10000},
      {.key = "min_batch",
       .target = &min_batch,
       .meaning = "least samples of one update; experiences of several agents make it up",
       .source = "GA3C, section 5.3 and Figure 7: 20 to 40 are stable",
       .least = 1,
       .most = 100000},
      {.key = "max_predictions",
       .target = &max_predictions,
       .meaning = "most samples that one predictor answers at once: agents, by their environments",
       .source = "not in the paper; its code has 128",
       .least = 1,
       .most = 1024},
      {.key = "queue",
       .target = &queue,
       .meaning = "most experiences that wait for a trainer; agents wait while it is full",
       .source = "GA3C, section 4.4: bounds the policy's lag; its code has 100",
       .least = 1,
       .most = 100000},
      {.key = "adjust_seconds",
       .target = &adjust_seconds,
       .meaning = "every so often one of agents, predictors and trainers changes by one, and stays "
                  "changed if there were more updates a second; 0: they stay as they are",
       .source = "GA3C, section 4.3: 60",
       .least = 0},
      {.key = "trainer_cores",
       .target = &trainer_cores,
       .meaning = "cores kept for trainers, the first of those that the process may use; "
                  "predictors and agents keep to the others. It needs others, and more threads "
                  "than cores; 0: all run anywhere. Give each of several runs its own cores "
                  "(taskset)",
       .source = "not in the paper",
       .least = 0,
       .most = 1024},
      {.key = "roaming_agents",
       .target = &roaming_agents,
       .meaning = "agents that run on any core even so, and fill the gaps that trainers leave",
       .source = "not in the paper",
       .least = 0,
       .most = Ga3cThreads::kMost.agents},
  };
}

}  // namespace tandem
