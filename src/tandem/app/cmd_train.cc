#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "tandem/app/commands.h"
#include "tandem/app/config_options.h"
#include "tandem/app/help.h"
#include "tandem/app/signals.h"
#include "tandem/base/error.h"
#include "tandem/base/shell_word.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/run_control.h"
#include "tandem/run/run_directory.h"
#include "tandem/sync/crew.h"
#include "tandem/trainer/training.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrainFooter = R"(
The key algo chooses the algorithm, such as `--set algo=ppo`; `tandem systems`
shows which algorithms fit which system. A3C's own words are taken, too:
`--set method=n_step_q` is `--set algo=n_step_q`, and a3c is a2c. `tandem keys`
lists all keys.)";

void say_how_to_go_on(const std::string& why_ended, const fs::path& folder) {
  if (why_ended == "signal") {
    spdlog::info("stopped; go on with: tandem train --resume {}", shell_word(folder.string()));
  } else {
    spdlog::info("finished; see how well it plays with: tandem eval {} (--resume with {} goes on)",
                 shell_word(folder.string()),
                 why_ended == "return" ? "a higher run.until_return" : "a larger --steps");
  }
  if (has_checkpoint(RunPaths{folder}.best())) {
    spdlog::info("the checkpoint that played best in evaluations: tandem eval {} --best",
                 shell_word(folder.string()));
  }
}

void say_what_was_measured(const Config& asked, const Config& used) {
  if (asked.net.pixel_mean != used.net.pixel_mean && used.net.pixel_mean != 0) {
    spdlog::info("random play measured net.pixel_mean = {:.4f}", used.net.pixel_mean);
  }
  if (asked.env.observation_mean != used.env.observation_mean) {
    spdlog::info(
        "random play measured the mean and deviation of observations, which env.normalise uses: "
        "env.observation_mean and env.observation_deviation in config.toml");
  }
}

Training build(const Config& config, const fs::path& folder, bool resume,
               const StopSignals& signals) {
  try {
    return {config, folder, resume, std::make_shared<RunControl>(), signals.stop_requested()};
  } catch (const Stopped&) {
    throw Error("stopped before the training began, so there is no run to go on with");
  }
}

/// Trains until the run is done or a signal ends it, and tells the user how to resume.
void train(const Config& config, const fs::path& folder, bool resume) {
  const StopSignals signals;
  Training training = build(config, folder, resume, signals);
  if (!config.preset.empty()) {
    spdlog::info(
        "preset {}, the default here; --config NAME takes another (`tandem presets` lists them)",
        config.preset);
  }
  if (config.optimizer.lr_choice == "log_uniform") {
    spdlog::info("drew optimizer.lr = {:.3g}", config.optimizer.lr);
  }
  say_what_was_measured(config, training.config());
  spdlog::info("the run is in {}; Ctrl-C ends it with a checkpoint", folder.string());
  const auto why = training.run({.stop_requested = signals.stop_requested()});
  say_how_to_go_on(why, folder);
}

/// Most systems have a key of their own for their threads, so that --threads changes less there
/// than a user may expect.
void say_who_sets_threads(const ConfigOptions& options, Config config) {
  const auto fields = config.fields();
  const auto key = config.system->threads_key();
  if (key == "run.threads" || !options.sets("run.threads", fields)) return;
  const auto& field = *std::ranges::find(fields, key, &Field::key);
  spdlog::info("{} = {} sets how many threads play; run.threads (--threads) does not", key,
               field_text(field));
}

struct TrainOptions {
  ConfigOptions config;
  std::string run_dir;
  std::string resume;
};

void run(const TrainOptions& options) {
  if (!options.resume.empty()) {
    const fs::path dir = options.resume;
    require_run(dir);
    return train(options.config.load_resumed(RunPaths{dir}.config()), dir, true);
  }
  if (!options.config.has_system()) {
    throw Error(
        "which SYSTEM to train with? `tandem systems` lists them, as in `tandem train paac`");
  }
  const auto config = options.config.load();
  say_who_sets_threads(options.config, config);
  if (!options.run_dir.empty()) return train(config, options.run_dir, false);
  const auto dir = default_run_folder(config.system_name, config.env.id,
                                      static_cast<std::uint64_t>(config.run.seed),
                                      std::chrono::system_clock::now());
  try {
    train(config, dir, false);
  } catch (...) {
    std::error_code ignored;
    fs::remove(dir, ignored);  // if it is empty
    throw;
  }
}

}  // namespace

void add_train(CLI::App& program) {
  auto options = std::make_shared<TrainOptions>();
  auto* command = program.add_subcommand("train", "Train an agent");
  options->config.add_to(*command);
  auto* run_dir =
      command
          ->add_option("--run-dir", options->run_dir,
                       "Folder for the run's files (default: runs/SYSTEM-ENV-sSEED-DATE)")
          ->type_name("DIR");
  command->add_option("--resume", options->resume, "Go on with the run in this folder")
      ->type_name("DIR")
      ->excludes(run_dir);
  end_help(*command,
           {"tandem train paac --env atari:Breakout --steps 10M --set optimizer.anneal_steps=10M",
            "tandem train --resume runs/pong"},
           kTrainFooter);
  command->callback([options] { run(*options); });
}

}  // namespace tandem
