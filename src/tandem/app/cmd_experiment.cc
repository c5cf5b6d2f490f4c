// `tandem experiment`: the papers' own studies of their systems, each a subcommand.
#include "tandem/app/commands.h"
#include "tandem/app/help.h"

namespace tandem {

void add_experiment(CLI::App& program) {
  auto* command =
      program.add_subcommand("experiment", "Make a paper's measurements of its system again");
  command->require_subcommand(1);
  add_ga3c_grid(*command);
  add_hts_runtime(*command);
  add_hts_football(*command);
  add_hts_step_times(*command);
  add_apex_study(*command);
  end_help(*command, {"tandem experiment hts-runtime --out runs/runtime"});
}

}  // namespace tandem
