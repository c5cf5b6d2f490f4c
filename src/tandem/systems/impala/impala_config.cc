#include "tandem/systems/impala/impala_config.h"

namespace tandem {

FieldList ImpalaConfig::fields() {
  return {
      {.key = "actors",
       .target = &actors,
       .meaning = "threads that play, each with environments and a copy of the network of its own",
       .source = "IMPALA, section 3",
       .least = 1,
       .most = 4096},
      {.key = "envs",
       .target = &envs,
       .meaning = "environments of one actor, which acts in all of them at once",
       .source = "IMPALA, section 3.1: 1 or, in batches, more",
       .least = 1,
       .most = 1024},
      {.key = "unroll",
       .target = &unroll,
       .meaning = "steps that an actor plays by the same parameters (n)",
       .source = "IMPALA, section 5: 20 on Atari (appendix G)",
       .least = 1,
       .most = 10000},
      {.key = "batch",
       .target = &batch,
       .meaning =
           "least trajectories of one update, each an unroll of one environment; those of an "
           "actor's environments come together",
       .source = "IMPALA, appendix G: 32",
       .least = 1,
       .most = 65536},
      {.key = "queue",
       .target = &queue,
       .meaning = "actors' unrolls that wait for the learner, at most; an actor waits for room",
       .source = "not in the paper; its code has 1",
       .least = 1,
       .most = 65536},
  };
}

}  // namespace tandem
