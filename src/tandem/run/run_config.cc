#include "tandem/run/run_config.h"

#include <algorithm>

#include "tandem/sync/cores.h"

namespace tandem {

FieldList RunConfig::fields() {
  return {
      {.key = "seed", .target = &seed, .meaning = "seed of every random stream", .least = 0},
      {.key = "steps",
       .target = &steps,
       .meaning = "training steps, all environments together (N_max)",
       .source = "PAAC, section 5.1",
       .least = 1,
       .most = 1e15},
      {.key = "until_return",
       .target = &until_return,
       .meaning =
           "training stops before that when the mean return of the last 100 games is at least "
           "this, or that of an evaluation where actors explore (action values, dpg); 1e15: never",
       .source = "A3C, Table 2: time to a reference score",
       .least = -kNoReturn,
       .most = kNoReturn},
      {.key = "until_evaluations",
       .target = &until_evaluations,
       .meaning = "until_return counts the games of so many last evaluations, as HTS-RL's metric "
                  "does with ten; 0: the last 100 games of the training, or one greedy evaluation "
                  "where actors explore",
       .source = "HTS-RL, section 5: required time metric",
       .least = 0,
       .most = 1000},
      {.key = "threads",
       .target = &threads,
       .meaning =
           "threads of PAAC, of Ape-X's learner and of evaluations; 0: as many as cores. The keys "
           "of the other systems set the numbers of their threads",
       .least = 0,
       .most = 1024},
      {.key = "device",
       .target = &device,
       .meaning = "where the network runs",
       .choices = {"cpu", "cuda"}},
      {.key = "checkpoint_minutes",
       .target = &checkpoint_minutes,
       .meaning = "minutes between two checkpoints",
       .least = 0.001,
       .most = 1e6},
      {.key = "log_seconds",
       .target = &log_seconds,
       .meaning = "seconds between two lines of metrics",
       .least = 0.001,
       .most = 1e6},
      {.key = "evaluate_steps",
       .target = &evaluate_steps,
       .meaning = "training steps between two evaluations, which play whole games in a thread "
                  "beside the training and keep the best checkpoint; 0: none, but one each "
                  "hundredth of run.steps where an evaluation ends the run (run.until_return)",
       .least = 0,
       .most = 1e15},
      {.key = "evaluate_episodes",
       .target = &evaluate_episodes,
       .meaning = "games of each evaluation",
       .least = 1,
       .most = 1e6},
      {.key = "evaluate_protocol",
       .target = &evaluate_protocol,
       .meaning = "how evaluations choose actions, as `tandem eval` does without and with --greedy",
       .choices = {"sampled", "greedy"}},
      {.key = "evaluate_start",
       .target = &evaluate_start,
       .meaning = "how games of evaluations start: as in training, after 1 to 30 no-ops, or after "
                  "none",
       .choices = {"trained", "noop", "fixed"}},
  };
}

int RunConfig::thread_budget() const {
  if (threads > 0) return static_cast<int>(threads);
  // If the cores are unknown, one thread is correct, only slow.
  return std::max(1, static_cast<int>(usable_cores().size()));
}

}  // namespace tandem
