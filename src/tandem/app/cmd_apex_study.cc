#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <string>
#include <vector>

#include "tandem/app/commands.h"
#include "tandem/app/config_options.h"
#include "tandem/app/drawing.h"
#include "tandem/app/help.h"
#include "tandem/app/number_check.h"
#include "tandem/app/signals.h"
#include "tandem/study/apex/apex_studies.h"
#include "tandem/study/sweep.h"

namespace tandem {
namespace {

constexpr const char* kSystem = kApex;

struct StudyOptions {
  ConfigOptions config{kSystem};
  std::string study;
  int runs = 2;
  std::string out;
};

void run(const StudyOptions& options) {
  const Config config = options.config.load();
  const auto variation = parse_variation(variation_of(options.study, config));
  auto plan = plan_sweep(options.config, {}, {variation}, options.runs, Given::replaced);
  plan.description["command"] = "experiment apex-study " + options.study;
  check_combinations(plan);
  const SweepFolder folder(options.out, plan);
  spdlog::info("{} runs with {}; Ctrl-C ends them with a checkpoint, and the same command goes on",
               plan.runs.size(), variation.text);
  const StopSignals signals;
  if (!run_sweep(plan, folder, 1, signals.stop_requested()))
    return spdlog::info("stopped; the same command goes on");
  std::vector<std::string> words;
  if (const auto measure = greediest_measure(config)) words.push_back("--measure=" + *measure);
  std::vector<std::string> runs;
  for (const auto& planned : plan.runs) runs.push_back(folder.paths().run(planned.number).string());
  draw_comparison(options.out, words, runs,
                  fmt::format("every run is in {}", folder.paths().csv().string()));
}

std::string study_help() {
  std::string help = "Studies (of Horgan et al. 2018):\n";
  for (const auto& study : apex_studies()) {
    help += fmt::format("  {:<10} {} ({})\n", study.name, study.question, study.source);
  }
  return help +
         "Trains --runs seeds of each setting, all for equally many updates, compares the returns "
         "of the\n"
         "greediest actor at their ends, and writes compare.png, compare.csv, compare.md and\n"
         "sweep.csv.";
}

}  // namespace

void add_apex_study(CLI::App& experiment) {
  const auto options = std::make_shared<StudyOptions>();
  auto* command = experiment.add_subcommand(
      "apex-study", "How much Ape-X's actors, replay and exploration matter");
  std::vector<std::string> names;
  for (const auto& study : apex_studies()) names.emplace_back(study.name);
  command->add_option("STUDY", options->study, "Which")->required()->check(CLI::IsMember(names));
  options->config.add_to(*command);
  command->add_option("--runs", options->runs, "Seeds of each setting")
      ->type_name("N")
      ->transform(whole_number(1, 1000))
      ->capture_default_str();
  command->add_option("--out", options->out, "Folder of pictures, tables and runs")
      ->type_name("DIR")
      ->required();
  end_help(*command,
           {"tandem experiment apex-study recency --config apex/two_cores --steps 2M \\\n"
            "    --out runs/recency"},
           study_help());
  command->callback([options] { run(*options); });
}

}  // namespace tandem
