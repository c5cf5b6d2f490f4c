// `tandem compare`: runs a Python script that reads the runs' curves and draws them.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tandem/app/commands.h"
#include "tandem/app/config_options.h"
#include "tandem/app/drawing.h"
#include "tandem/app/help.h"
#include "tandem/app/number_check.h"
#include "tandem/run/atari_scores.h"

namespace tandem {
namespace {

constexpr const char* kCompareFooter = R"(
The metrics of HTS-RL's paper (section 5). Runs whose configs differ in nothing
but the seed are one row, with a bootstrapped 95% interval of their mean:
  final          return at equal steps
  final time     return at equal wall-clock time
  required time  wall-clock time until a return is reached
The return is the mean over the games of the last ten evaluations, ten games
each: train with --set run.evaluate_steps=N, run.evaluate_episodes=10 and, on
Atari, run.evaluate_start=noop. Where a run has fewer than ten, the return of
all runs is the mean of the last 100 training games, which is not the paper's
metric; the heading says which it is.
Runs may be of several environments. Final scores of Atari games are given
human-normalised, too (0: random play, 1: a person, under no-op starts), and
over several games there is their interquartile mean, with a bootstrapped 95%
interval that draws the runs of each game apart (Agarwal et al. 2021). Writes
compare.csv, compare.md and compare.png, or a picture for each environment.)";

/// The scores of random play and of people as JSON: {"Pong": [-20.7, 14.6], ...}.
std::string references() {
  nlohmann::json references = nlohmann::json::object();
  for (const auto& scores : atari_scores()) {
    references[std::string(scores.game)] = {scores.random, scores.human};
  }
  return references.dump();
}

struct CompareOptions {
  std::vector<std::string> runs;
  std::string steps;
  double minutes = 0;
  std::vector<double> returns;
  bool training = false;
  std::string out = ".";
};

int compare(const CompareOptions& options) {
  std::vector<std::string> words = {"--out", options.out};
  if (!options.steps.empty()) {
    words.push_back(fmt::format("--steps={}", parse_count("--steps", options.steps)));
  }
  if (options.minutes > 0) words.push_back(fmt::format("--minutes={}", options.minutes));
  for (const double wanted : options.returns) words.push_back(fmt::format("--return={}", wanted));
  if (options.training) words.emplace_back("--training");
  words.push_back("--references=" + references());
  words.emplace_back("--");
  words.insert(words.end(), options.runs.begin(), options.runs.end());
  return run_drawing("compare", words);
}

}  // namespace

void add_compare(CLI::App& program) {
  const auto options = std::make_shared<CompareOptions>();
  auto* command = program.add_subcommand(
      "compare", "Compare runs at equal steps, at equal time, by time to a return");
  command->add_option("RUN", options->runs, "Folders of runs, of any systems and environments")
      ->required();
  command
      ->add_option("--steps", options->steps,
                   "Final metric: after so many steps (default: as far as all have come)")
      ->type_name("N");
  command
      ->add_option("--minutes", options->minutes,
                   "Final time metric: after so long (default: as far as all have come)")
      ->transform(real_number(0.001, 1e9));
  command
      ->add_option("--return", options->returns,
                   "Required time metric: until this return; may be said again (default: half and "
                   "nine tenths of the way from the first to the best, of one environment)")
      ->type_name("REF")
      ->allow_extra_args(false);
  command->add_flag("--training", options->training,
                    "By training games, also where runs have evaluations");
  command->add_option("--out", options->out, "Folder for pictures and tables")
      ->type_name("DIR")
      ->capture_default_str();
  end_help(*command,
           {"tandem compare runs/hts-* runs/paac-* --return 0 --return 18 --out runs/compared"},
           kCompareFooter);
  // The script has already printed its error.
  command->callback([options] {
    if (const int code = compare(*options); code != 0) std::exit(code);
  });
}

}  // namespace tandem
