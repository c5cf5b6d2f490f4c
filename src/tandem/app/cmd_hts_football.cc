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
#include "tandem/study/hts/football_study.h"
#include "tandem/study/sweep.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHtsFootballFooter = R"(
Table 2 of HTS-RL's paper: the minutes until the mean score (goals of a game) is
0.4 and 0.8. IMPALA, PPO (by PAAC, whose loop waits for all environments) and
HTS-RL with PPO train one after the other, by the presets impala/football,
paac/football_ppo and hts/football. A run ends when it reaches 0.8, or after
--steps. The score is that of the last 100 games of the training. With
--evaluate-steps it is the paper's, of ten evaluation games by each of the last
ten policies; evaluations need time of their own. The same command goes on after
a stop or a kill. Writes compare.md, compare.csv and pictures.)";

struct HtsFootballOptions {
  FootballTask task;
  std::vector<std::string> scenarios = {"academy_empty_goal_close", "academy_empty_goal",
                                        "academy_run_to_score"};
  std::vector<std::string> systems;
  std::vector<std::string> sets;
  std::string out;
};

/// One cell of the table.
struct FootballCell {
  std::string title;
  SweepPlan plan;
  fs::path folder;
};

std::vector<FootballCell> cells_of(const HtsFootballOptions& options) {
  std::vector<FootballCell> cells;
  for (const auto& scenario : options.scenarios) {
    for (const auto& contender : football_contenders()) {
      const auto& chosen = options.systems;
      if (!chosen.empty() && std::ranges::find(chosen, contender.system) == chosen.end()) continue;
      auto plan = plan_football(options.task, contender, scenario);
      plan.description["command"] = "experiment hts-football";
      check_combinations(plan);
      cells.push_back({fmt::format("{} on {}", contender.preset, scenario), std::move(plan),
                       fs::path(options.out) / scenario / contender.system});
    }
  }
  return cells;
}

void run(HtsFootballOptions options) {
  options.task.settings = parse_sets(options.sets);
  const auto cells = cells_of(options);
  const StopSignals signals;
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    spdlog::info("cell {} of {}: {}", i + 1, cells.size(), cells[i].title);
    const SweepFolder folder(cells[i].folder, cells[i].plan);
    if (!run_sweep(cells[i].plan, folder, 1, signals.stop_requested())) {
      return spdlog::info("stopped; the same command goes on");
    }
    for (const auto& planned : cells[i].plan.runs) {
      runs.push_back(folder.paths().run(planned.number).string());
    }
  }
  draw_comparison(options.out,
                  {fmt::format("--return={}", kFirstScore), fmt::format("--return={}", kLastScore)},
                  runs, fmt::format("every run is in {}", options.out));
}

}  // namespace

void add_hts_football(CLI::App& experiment) {
  const auto options = std::make_shared<HtsFootballOptions>();
  auto* command = experiment.add_subcommand(
      "hts-football", "HTS-RL: minutes until agents score in football (Table 2)");
  const auto list = [&](const char* name, auto& values, const char* meaning) {
    return command->add_option(name, values, meaning)
        ->type_name("NAME,NAME,...")
        ->delimiter(',')
        ->allow_extra_args(false);
  };
  list("--scenarios", options->scenarios, "Scenarios, as `tandem envs` lists them after football:")
      ->capture_default_str();
  std::vector<std::string> systems;
  for (const auto& contender : football_contenders()) systems.push_back(contender.system);
  list("--systems", options->systems, "Systems that train; default: all with a preset for football")
      ->check(CLI::IsMember(systems));
  command->add_option("--runs", options->task.runs, "Seeds of each cell")
      ->type_name("N")
      ->transform(whole_number(1, 1000))
      ->capture_default_str();
  command->add_option("--steps", options->task.steps, "Most steps of a run; the paper has 5M")
      ->type_name("N")
      ->transform(whole_number(1))
      ->capture_default_str();
  command
      ->add_option("--evaluate-steps", options->task.evaluate_steps,
                   "Steps between two evaluations of ten games; 0: none")
      ->type_name("N")
      ->transform(whole_number(0))
      ->capture_default_str();
  add_sets(*command, options->sets, "Set a config key of all runs");
  command->add_option("--out", options->out, "Folder of pictures, tables and runs")
      ->type_name("DIR")
      ->required();
  end_help(*command, {"tandem experiment hts-football --runs 2 --out runs/football"},
           kHtsFootballFooter);
  command->callback([options] { run(*options); });
}

}  // namespace tandem
