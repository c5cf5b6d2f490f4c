#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tandem/app/commands.h"
#include "tandem/app/config_options.h"
#include "tandem/app/drawing.h"
#include "tandem/app/help.h"
#include "tandem/app/number_check.h"
#include "tandem/app/signals.h"
#include "tandem/base/error.h"
#include "tandem/study/sweep.h"

namespace tandem {
namespace {

constexpr auto kLearningRate = "optimizer.lr";

struct SweepOptions {
  ConfigOptions config;
  std::vector<std::string> vary;
  bool keep_lr = false;
  bool check = false;
  int runs = 0;
  int jobs = 1;
  std::string out;
};

/// The variations of --vary. If the user does not set, vary or keep the learning rate, the sweep
/// draws it as in section 5.1 of A3C's paper.
std::vector<Variation> variations_of(const SweepOptions& options) {
  auto config = options.config.load();
  const auto fields = config.fields();
  std::vector<Variation> variations;
  for (const auto& text : options.vary) {
    variations.push_back(with_full_keys(parse_variation(text), fields));
  }
  const bool chosen =
      options.keep_lr || options.config.sets(kLearningRate, fields) ||
      std::ranges::any_of(variations, [](const auto& variation) {
        return std::ranges::find(variation.keys, kLearningRate) != variation.keys.end();
      });
  if (!chosen) {
    const auto text = fmt::format("{}=log_uniform({},{})", kLearningRate, config.optimizer.lr_low,
                                  config.optimizer.lr_high);
    variations.insert(variations.begin(), parse_variation(text));
  }
  return variations;
}

void run(const SweepOptions& options) {
  if (!options.config.has_system()) {
    throw Error("which SYSTEM to sweep? `tandem systems` lists them, as in `tandem sweep a3c`");
  }
  auto plan = plan_sweep(options.config, {}, variations_of(options), options.runs);
  plan.description["command"] = "sweep";
  if (options.check) return check_holds(options.out, plan);
  check_combinations(plan);
  const SweepFolder folder(options.out, plan);
  spdlog::info(
      "{} runs go into {}; Ctrl-C ends them with a checkpoint, and the same command goes on",
      plan.runs.size(), options.out);
  const StopSignals signals;
  const bool ended = run_sweep(plan, folder, options.jobs, signals.stop_requested());
  if (!ended) {
    return spdlog::info(
        "stopped; the same command goes on, and `tandem plot {}` draws what there is", options.out);
  }
  draw_sweep(options.out);
  spdlog::info("finished; every run is in {}", folder.paths().csv().string());
}

}  // namespace

void add_sweep(CLI::App& program) {
  auto options = std::make_shared<SweepOptions>();
  auto* command = program.add_subcommand(
      "sweep", "Train with many learning rates and seeds; draw which of them learn");
  options->config.add_to(*command);
  command
      ->add_option("--runs", options->runs,
                   "Runs of each combination of the lists; run r has the seed S + r - 1")
      ->type_name("N")
      ->transform(whole_number(1, 100000))
      ->required();
  command
      ->add_option(
          "--vary", options->vary,
          "KEY=A,B,C: runs for each value; KEY=uniform(LO,HI) or KEY=log_uniform(LO,HI): "
          "each run draws one, of whole numbers the ends half as often as the others; "
          "KEY+KEY=A+B,C+D: keys that change together. Without one for optimizer.lr, and no --set "
          "of it, that is log_uniform(lr_low,lr_high)")
      ->type_name("KEY=...")
      ->allow_extra_args(false);
  command->add_flag("--keep-lr", options->keep_lr,
                    "Take the config's learning rate instead of drawing one for each run");
  command
      ->add_option(
          "--jobs", options->jobs,
          "Runs at the same time. They share the cores where run.threads is 0; other numbers "
          "of threads are those of each run")
      ->type_name("J")
      ->transform(whole_number(1, 256))
      ->capture_default_str();
  command->add_option("--out", options->out, "Folder of the sweep: sweep.csv, sweep.png, runs/")
      ->type_name("DIR")
      ->required();
  command->add_flag("--check", options->check,
                    "Train nothing; only check that DIR holds these runs");
  end_help(
      *command,
      {"tandem sweep a3c --config a3c/cartpole --runs 50 --out runs/lr",
       "tandem sweep a3c --config a3c/cartpole --runs 20 --vary optimizer.kind=momentum,rmsprop "
       "\\\n"
       "    --vary 'entropy=log_uniform(1e-4,0.1)' --out runs/entropy"},
      "The same command goes on with a sweep that was stopped or killed; with more --runs\n"
      "it adds them.");
  command->callback([options] { run(*options); });
}

}  // namespace tandem
