#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <vector>

#include "tandem/app/commands.h"
#include "tandem/app/config_options.h"
#include "tandem/app/help.h"
#include "tandem/app/signals.h"
#include "tandem/base/error.h"
#include "tandem/io/settings.h"
#include "tandem/run/run_directory.h"
#include "tandem/trainer/config.h"
#include "tandem/trainer/network_settings.h"
#include "tandem/trainer/verification.h"

namespace tandem {
namespace {

constexpr const char* kVerifyFooter = R"(
Each update of a run that repeats (`tandem systems`) leaves a fingerprint of all
it measured in the run's updates.bin. The same config gives the same ones, for
any number of threads; so does any number of hts.executors, hts.actors and
hts.learners.
Another build of tandem, other libraries or a CPU with other vector
instructions (see TANDEM_CPU) may round otherwise. The run's backends.txt says
which library computed its network.)";

struct VerifyOptions {
  std::string run;
  std::string steps = "20k";
  std::string threads = {};
  std::vector<std::string> sets;
};

Config config_of(const VerifyOptions& options) {
  require_run(options.run);
  auto settings = with_younger_keys(read_toml(RunPaths{options.run}.config()));
  if (!options.threads.empty()) {
    settings.push_back({"run.threads", options.threads, "--threads " + options.threads});
  }
  for (const auto& set : options.sets) settings.push_back(parse_assignment(set));
  return load_config("", settings);
}

/// The likely reason for different bits.
std::string why_different(const VerifyOptions& options, const Verification& result) {
  if (result.other_backends.empty()) {
    return "Another build, CPU or setting does that; if all are the same, it is a bug";
  }
  return fmt::format(
      "Bits may differ because {} was computed by {}, and this program computes its network by {}, "
      "which rounds otherwise",
      options.run, fmt::join(result.other_backends, " and "), result.backend);
}

void run(const VerifyOptions& options) {
  const StopSignals signals;
  const auto result = verify(config_of(options), options.run, parse_count("--steps", options.steps),
                             signals.stop_requested());
  if (result.parted_at) {
    throw Error(fmt::format(
        "the runs part at update {} (step {}): some bit differs from that of {}. {}",
        *result.parted_at, result.parted_step, options.run, why_different(options, result)));
  }
  if (result.same_checkpoint == false) {
    throw Error(fmt::format("the updates are the same, but the checkpoint of step {} differs. {}",
                            result.steps, why_different(options, result)));
  }
  fmt::print("the same bits: {} updates, {} steps, trained again in {:.1f} s\n", result.updates,
             result.steps, result.seconds);
  if (result.rescheduled) {
    fmt::print("from there on the run had another --steps, which its learning rate follows\n");
  }
  if (result.same_checkpoint) {
    fmt::print("the checkpoint of step {}, too: parameters and optimizer\n", result.steps);
  }
}

}  // namespace

void add_verify(CLI::App& program) {
  auto options = std::make_shared<VerifyOptions>();
  auto* command =
      program.add_subcommand("verify", "Train the first steps of a run again and compare the bits");
  command->add_option("RUN", options->run, "Folder of the run")->required();
  command->add_option("--steps", options->steps, "How many steps to train again")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--threads", options->threads, "Thread budget this time (run.threads)")
      ->type_name("N");
  add_sets(*command, options->sets, "Another setting this time, which must change no bit");
  end_help(*command,
           {"tandem verify runs/pong --steps 100k --threads 1",
            "tandem verify runs/hts --set hts.actors=8"},
           kVerifyFooter);
  command->callback([options] { run(*options); });
}

}  // namespace tandem
