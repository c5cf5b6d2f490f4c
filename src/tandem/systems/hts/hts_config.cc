#include "tandem/systems/hts/hts_config.h"

namespace tandem {

FieldList HtsConfig::fields() {
  return {
      {.key = "envs",
       .target = &envs,
       .meaning = "environments (n)",
       .source = "HTS-RL, section 5: 16",
       .least = 1,
       .most = 65536},
      {.key = "executors",
       .target = &executors,
       .meaning = "threads that step the environments, each its own; at most one for each "
                  "environment. If hts.deterministic, the result does not depend on it",
       .source = "HTS-RL, section 4.1: one for each environment",
       .least = 1,
       .most = 4096},
      {.key = "actors",
       .target = &actors,
       .meaning =
           "threads that predict actions, a batch at a time; 0: executors predict for themselves. "
           "If hts.deterministic, the result does not depend on it",
       .source = "HTS-RL, section 4.1 and Table 4",
       .least = 0,
       .most = 256},
      {.key = "learners",
       .target = &learners,
       .meaning = "threads that compute gradients, each of one group at a time. If "
                  "hts.deterministic, the result does not depend on it",
       .source = "HTS-RL, section 4.1",
       .least = 1,
       .most = 256},
      {.key = "alpha",
       .target = &alpha,
       .meaning = "steps of each environment between two synchronisations; a multiple of rollout",
       .source = "HTS-RL, section 4.1 and Table 5: 4 to 512",
       .least = 1,
       .most = 10000},
      {.key = "rollout",
       .target = &rollout,
       .meaning = "steps of a rollout, after which returns bootstrap; 0: as many as alpha",
       .source = "HTS-RL's code has alpha",
       .least = 0,
       .most = 10000},
      {.key = "updates",
       .target = &updates,
       .meaning = "updates between two synchronisations, which share the rollouts equally. Each "
                  "takes its gradient at the parameters that acted; PPO's begins where the last "
                  "one ended",
       .source = "HTS-RL, section 4.1: one or more; its code has 1",
       .least = 1,
       .most = 10000},
      {.key = "passes_from_newest",
       .target = &passes_from_newest,
       .meaning =
           "algo = ppo: its passes begin at theta_j, and its clipping bounds them around the "
           "policy that acted; false: they begin at theta_{j-1}, which acted, and the sum "
           "of their moves is added to theta_j",
       .source = "HTS-RL, equation 6: false; its code: true"},
      {.key = "envs_per_group",
       .target = &envs_per_group,
       .meaning =
           "environments whose gradient is computed in one go; changes the last bits, and with "
           "algo = ppo which samples share a minibatch",
       .source = "not in the paper",
       .least = 1,
       .most = 65536},
      {.key = "max_predictions",
       .target = &max_predictions,
       .meaning = "most samples of one forward pass, if no executor has more environments",
       .source = "not in the paper",
       .least = 1,
       .most = 65536},
      {.key = "deterministic",
       .target = &deterministic,
       .meaning = "actors predict each sample of a batch alone, so that the other samples change "
                  "no bit of it. With false, runs differ by the threads' timing "
                  "(docs/results/hts.md)",
       .source = "HTS-RL, section 4.1: full determinism"},
  };
}

}  // namespace tandem
