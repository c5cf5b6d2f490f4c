#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "tandem/app/commands.h"
#include "tandem/app/config_options.h"
#include "tandem/app/drawing.h"
#include "tandem/app/help.h"
#include "tandem/app/number_check.h"
#include "tandem/app/signals.h"
#include "tandem/base/cpu.h"
#include "tandem/base/error.h"
#include "tandem/io/files.h"
#include "tandem/io/text_table.h"
#include "tandem/study/speedup.h"
#include "tandem/study/sweep.h"
#include "tandem/study/sweep_folder.h"
#include "tandem/trainer/training_evaluation.h"

namespace tandem {
namespace {

// Most of these runs are short, so their curves need more frequent log lines than usual.
constexpr auto kLogSeconds = "run.log_seconds";
constexpr auto kUntilReturn = "run.until_return";
constexpr auto kScoreDecides = "--score decides when runs end; leave run.until_return out";

struct SpeedupOptions {
  ConfigOptions config;
  std::vector<std::string> threads = {"1", "2", "4", "8", "16"};
  std::string key;
  double score = 0;
  std::vector<std::string> vary;
  int runs = 1;
  int best = 100000;  // the default includes all runs
  bool check = false;
  std::string out;
};

/// The key for a run's number of threads.
std::string threads_key(const SpeedupOptions& options, Config config) {
  if (options.key.empty()) return config.system->threads_key();
  const auto fields = config.fields();
  const auto& field = find_field({options.key, std::string(), "--key"}, fields);
  if (std::holds_alternative<std::int64_t*>(field.target)) return field.key;
  throw Error(fmt::format("--key {}: this key is not a number of threads", options.key));
}

int threads_of(Config config, const std::string& key) {
  return static_cast<int>(whole_value(config.fields(), key));
}

/// The CPU and the instructions on which times depend: virtual machines give several processors one
/// name.
std::string cpu_words() {
  std::ifstream lines("/proc/cpuinfo");
  std::string name = "an unknown CPU";
  bool bf16 = false;
  for (std::string line; std::getline(lines, line) && !line.empty();) {  // of the first core
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) name = line.substr(colon + 2);
    if (line.starts_with("flags")) bf16 = line.find(" avx512_bf16") != std::string::npos;
  }
  return fmt::format("{} ({}{})", name, simd_name(best_simd()), bf16 ? ", bf16" : "");
}

/// Whether an older version, which did not write the CPU down, began a sweep in the folder. It may
/// go on.
bool lacks_cpu(const std::filesystem::path& folder) {
  const auto file = SweepPaths{folder}.description();
  if (!std::filesystem::exists(file)) return false;
  const auto bytes = read_file(file);
  const auto json = nlohmann::ordered_json::parse(as_text(bytes), nullptr,
                                                  /*allow_exceptions=*/false);
  return json.is_object() && !json.contains("cpu");
}

struct Plan {
  SweepPlan sweep;
  std::string threads_key;
  std::vector<std::string> group_keys;  // keys of the other lists
};

Plan make_plan(const SpeedupOptions& options) {
  auto config = options.config.load();
  const auto fields = config.fields();
  Plan plan{.sweep = {}, .threads_key = threads_key(options, config), .group_keys = {}};
  std::vector<Setting> settings = {{kUntilReturn, fmt::format("{}", options.score), "--score"}};
  if (options.config.sets(kUntilReturn, fields)) throw Error(kScoreDecides);
  if (!options.config.sets(kLogSeconds, fields)) settings.push_back({kLogSeconds, "1", "speedup"});

  if (std::ranges::any_of(options.threads, [](const auto& n) { return n == "0"; })) {
    throw Error("--threads 0: a speed-up needs the numbers of threads, such as 1,2,4");
  }
  if (std::set(options.threads.begin(), options.threads.end()).size() < options.threads.size()) {
    throw Error(
        fmt::format("--threads {}: a number is there twice", fmt::join(options.threads, ",")));
  }
  if (options.config.sets(plan.threads_key, fields)) {
    throw Error(fmt::format("--threads gives the values of {}; leave out the option that sets it",
                            plan.threads_key));
  }
  std::vector<Variation> variations;
  for (const auto& text : options.vary) {
    variations.push_back(with_full_keys(parse_variation(text), fields));
    if (std::ranges::count(variations.back().keys, kUntilReturn) > 0) throw Error(kScoreDecides);
    if (variations.back().is_range()) continue;
    std::ranges::copy(variations.back().keys, std::back_inserter(plan.group_keys));
  }
  variations.push_back(
      parse_variation(fmt::format("{}={}", plan.threads_key, fmt::join(options.threads, ","))));
  plan.sweep = plan_sweep(options.config, settings, variations, options.runs);
  plan.sweep.description["command"] = "speedup";
  plan.sweep.description["score"] = options.score;
  // Runs on another machine take other times and are no part of this sweep.
  plan.sweep.description["cores"] = RunConfig{}.thread_budget();
  if (!lacks_cpu(options.out)) plan.sweep.description["cpu"] = cpu_words();
  return plan;
}

std::vector<SpeedupRun> runs_of(const Plan& plan, const SweepFolder& folder) {
  std::vector<SpeedupRun> runs;
  for (const auto& planned : plan.sweep.runs) {
    const auto outcome = folder.outcome(planned);
    if (!outcome) continue;
    SpeedupRun run{.name = folder.paths().run(planned.number).filename().string(),
                   .group = {},
                   .threads = threads_of(planned.config, plan.threads_key),
                   .reached = outcome->reached};
    for (std::size_t i = 0; i < plan.sweep.keys.size(); ++i) {
      const auto& key = plan.sweep.keys[i];
      if (std::ranges::find(plan.group_keys, key) == plan.group_keys.end()) continue;
      run.group += fmt::format("{}{}={}", run.group.empty() ? "" : " ", key, planned.values[i]);
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

/// The games whose mean return ends the runs.
std::string games_of(const Plan& plan) {
  int by_evaluation = 0;
  std::int64_t evaluations = 0;
  for (const auto& run : plan.sweep.runs) {
    by_evaluation += ends_by_evaluation(run.config) ? 1 : 0;
    evaluations = std::max(evaluations, awaited_evaluations(run.config));
  }
  std::string training = "the last 100 training games";
  std::string evaluation = "one evaluation (without exploration, where actors explore)";
  if (evaluations > 1) evaluation = fmt::format("the last {} evaluations", evaluations);
  if (by_evaluation == 0) return training;
  if (by_evaluation == std::ssize(plan.sweep.runs)) return evaluation;
  return fmt::format("{} (where actors explore: of {})", training, evaluation);
}

/// How the numbers of a row come from those of its runs.
std::string counted_words(const SpeedupOptions& options) {
  if (options.best >= options.runs) return "Medians of the runs";
  if (options.best == 1) return fmt::format("Numbers of the soonest of {} runs", options.runs);
  return fmt::format("Medians of the {} soonest of {} runs", options.best, options.runs);
}

void print(const SpeedupOptions& options, const Plan& plan, const std::vector<SpeedupRow>& rows) {
  fmt::print(
      "To a mean return of {} over {}, with threads = {}.\n"
      "{}; speed-ups relative to the fewest threads. This machine has {} "
      "cores.\n\n"
      "{}",
      options.score, games_of(plan), plan.threads_key, counted_words(options),
      RunConfig{}.thread_budget(), speedup_table(rows, terminal_width()));
}

void run(const SpeedupOptions& options) {
  if (!options.config.has_system()) {
    throw Error("which SYSTEM to measure? `tandem systems` lists them, as in `tandem speedup a3c`");
  }
  const auto plan = make_plan(options);
  if (options.check) return check_holds(options.out, plan.sweep);
  check_combinations(plan.sweep);
  const SweepFolder folder(options.out, plan.sweep);
  spdlog::info(
      "{} runs go into {}; Ctrl-C ends them with a checkpoint, and the same command goes on",
      plan.sweep.runs.size(), options.out);
  const StopSignals signals;
  const bool ended = run_sweep(plan.sweep, folder, 1, signals.stop_requested());
  const auto rows = speedup_rows(runs_of(plan, folder), options.best);
  replace_durably(folder.paths().folder / "speedup.csv",
                  speedup_csv(rows, options.score, RunConfig{}.thread_budget()));
  if (!ended) {
    return spdlog::info(
        "stopped; the same command goes on, and `tandem plot {}` draws what there is", options.out);
  }
  print(options, plan, rows);
  draw_sweep(options.out);
}

}  // namespace

void add_speedup(CLI::App& program) {
  auto options = std::make_shared<SpeedupOptions>();
  auto* command =
      program.add_subcommand("speedup", "Measure how much sooner more threads reach a score");
  options->config.add_to(*command, {"--threads"});
  command
      ->add_option("--score", options->score,
                   "Train until the mean return is REF (see run.until_return), or to --steps")
      ->type_name("REF")
      ->required();
  command->add_option("--threads", options->threads, "Numbers of threads to compare")
      ->type_name("N,N,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  command
      ->add_option("--key", options->key,
                   "Config key that the numbers go to (default: the one by which the system "
                   "counts its threads)")
      ->type_name("KEY");
  command->add_option("--runs", options->runs, "Runs of each; run r has the seed S + r - 1")
      ->type_name("N")
      ->transform(whole_number(1, 100000))
      ->capture_default_str();
  command
      ->add_option("--best", options->best,
                   "Only the K soonest of the runs count, as in the paper 3 of 50 (default: all)")
      ->type_name("K")
      ->transform(whole_number(1, 100000));
  command
      ->add_option("--vary", options->vary,
                   "As in `tandem sweep`; each value of a list has its own rows")
      ->type_name("KEY=...")
      ->allow_extra_args(false);
  command
      ->add_option("--out", options->out,
                   "Folder of the runs, speedup.csv, sweep.csv and sweep.png")
      ->type_name("DIR")
      ->required();
  command->add_flag("--check", options->check,
                    "Train nothing; only check that DIR holds these runs");
  end_help(*command,
           {"tandem speedup a3c --config a3c/catch --score 0.9 --runs 3 --out runs/speedup"},
           "The same command goes on with what was stopped or killed.");
  command->callback([options] { run(*options); });
}

}  // namespace tandem
