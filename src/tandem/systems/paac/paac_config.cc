#include "tandem/systems/paac/paac_config.h"

namespace tandem {

FieldList PaacConfig::fields() {
  return {
      {.key = "envs",
       .target = &envs,
       .meaning = "environments stepped in parallel (n_e)",
       .source = "PAAC, section 5.1",
       .least = 1,
       .most = 65536},
      {.key = "workers",
       .target = &workers,
       .meaning = "threads that step the environments (n_w), at most the thread budget",
       .source = "PAAC, section 5.1",
       .least = 1,
       .most = 1024},
      {.key = "t_max",
       .target = &t_max,
       .meaning = "steps of each environment between two updates",
       .source = "PAAC, section 5.1",
       .least = 1,
       .most = 10000},
      {.key = "envs_per_group",
       .target = &envs_per_group,
       .meaning = "environments that share one forward pass; changes speed and rounding, and with "
                  "algo = ppo which samples share a minibatch",
       .source = "",
       .least = 1,
       .most = 65536},
  };
}

}  // namespace tandem
