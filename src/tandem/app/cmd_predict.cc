#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tandem/app/commands.h"
#include "tandem/app/config_options.h"
#include "tandem/app/help.h"
#include "tandem/app/number_check.h"
#include "tandem/app/signals.h"
#include "tandem/base/error.h"
#include "tandem/env/recorded_times.h"
#include "tandem/io/files.h"
#include "tandem/io/json_text.h"
#include "tandem/io/temporary_folder.h"
#include "tandem/io/text_table.h"
#include "tandem/study/hts/hts_theory.h"
#include "tandem/study/parts_to_measure.h"
#include "tandem/study/step_times.h"
#include "tandem/study/system_speed.h"
#include "tandem/systems/common/step_costs.h"

namespace tandem {
namespace {

constexpr const char* kPredictFooter = R"(
Measures how long the environment takes for a step, and its spread, and what an
action and learning from a step cost a core. Then prints what HTS-RL's paper
derives from that (section 4.2): by Claim 1 the steps per second of environments
side by side that wait for each other every alpha steps (alpha 1: A2C), by
Claim 2 how far the policy of an asynchronous system lags (HTS-RL's: 1).
--save-times records the times of half of --seconds, a million at most, those of
resets included. The environment `latency` replays such a file (env.step_times).)";

struct PredictOptions {
  ConfigOptions config{kHts};
  std::vector<std::int64_t> alphas = {1, 4, 16, 64, 128, 256, 512};
  std::vector<std::int64_t> actors = {1, 2, 4, 8, 16, 32, 64};
  double seconds = 4;
  std::string times_file;  // to write; empty: none
  bool json = false;
};

/// The measurements, and the predictions from them.
struct Prediction {
  std::string env;
  std::int64_t envs = 0;
  StepTimes times;
  StepCosts costs;

  /// NaN where Claim 1 does not hold.
  [[nodiscard]] double steps_per_second(std::int64_t alpha) const {
    return claimed_rate(
        {.envs = envs, .alpha = alpha, .step = times.step, .actor_seconds = costs.inference});
  }

  /// The rate without any synchronisation.
  [[nodiscard]] double most_steps_per_second() const {
    return static_cast<double>(envs) / (times.step.mean + costs.inference);
  }

  [[nodiscard]] AsynchronousLearning learning(std::int64_t actors) const {
    return {.actors = actors,
            .actor_rate = 1 / (times.step.mean + costs.inference),
            .learner_rate = 1 / costs.training};
  }

  /// Whether the environments mostly compute, and are too many for a core each.
  [[nodiscard]] bool needs_cores() const {
    constexpr double kMostlyBusy = 0.5;
    return times.busy > kMostlyBusy && envs > RunConfig{}.thread_budget();
  }
};

/// Measures the costs of a step on one core, without any training.
StepCosts measure_costs(const Config& config, double seconds, const StopRequested& stop_requested) {
  const TemporaryFolder folder;
  Assembly assembly = parts_to_measure(config, stop_requested);
  auto options = assembly.run_options();
  options.progress = nullptr;
  options.stop_requested = stop_requested;
  TrainingRun run(std::move(options), RunDirectory::create(folder.path() / "run"));
  const auto costs =
      measure_step_costs(assembly.context(run), config.system->batching(), 1, seconds);
  if (stop_requested()) throw Interrupted();
  return costs;
}

nlohmann::ordered_json or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nullptr;
}

void print_json(const PredictOptions& options, const Prediction& found) {
  nlohmann::ordered_json json = {{"env", found.env},
                                 {"envs", found.envs},
                                 {"t_env_us", 1e6 * found.times.step.mean},
                                 {"t_env_deviation_us", 1e6 * found.times.step.deviation},
                                 {"t_inference_us", 1e6 * found.costs.inference},
                                 {"t_train_us", 1e6 * found.costs.training},
                                 {"most_steps_per_second", found.most_steps_per_second()},
                                 {"claim_1", nlohmann::ordered_json::array()},
                                 {"claim_2", nlohmann::ordered_json::array()}};
  for (const auto alpha : options.alphas) {
    json["claim_1"].push_back(
        {{"alpha", alpha}, {"steps_per_second", or_null(found.steps_per_second(alpha))}});
  }
  for (const auto actors : options.actors) {
    json["claim_2"].push_back(
        {{"actors", actors}, {"lag", or_null(expected_latency(found.learning(actors)))}});
  }
  fmt::print("{}\n", json_text(json));
}

void print_tables(const PredictOptions& options, const Prediction& found) {
  fmt::print("{}: a step takes {} +- {}, an action {}, learning from a step {}\n", found.env,
             time_text(found.times.step.mean), time_text(found.times.step.deviation),
             time_text(found.costs.inference), time_text(found.costs.training));

  std::vector<std::vector<std::string>> rows = {{"alpha", "steps/s", "of the most"}};
  bool holds = true;
  for (const auto alpha : options.alphas) {
    const double rate = found.steps_per_second(alpha);
    if (std::isnan(rate)) {
      rows.push_back({std::to_string(alpha), "-", "-"});
      holds = false;
      continue;
    }
    rows.push_back({std::to_string(alpha), fmt::format("{:.0f}", rate),
                    fmt::format("{:.0f}%", 100 * rate / found.most_steps_per_second())});
  }
  fmt::print("\nClaim 1: {} environments side by side, synchronised every alpha steps\n{}",
             found.envs, format_table(rows, terminal_width()));
  if (!holds) {
    fmt::print("-: the steps' times vary too much for the claim, which is one of large numbers.\n");
  }
  if (found.needs_cores()) {
    fmt::print("This environment computes all the time: {} side by side need {} cores.\n",
               found.envs, found.envs);
  }

  rows = {{"actors", "updates behind"}};
  for (const auto actors : options.actors) {
    const double lag = expected_latency(found.learning(actors));
    rows.push_back({std::to_string(actors),
                    std::isfinite(lag) ? fmt::format("{:.2f}", lag) : "the learner falls behind"});
  }
  fmt::print("\nClaim 2: the policy of an asynchronous system; HTS-RL's is 1 update behind\n{}",
             format_table(rows, terminal_width()));
}

/// Measures step times, and saves them if a file for them is wanted.
StepTimes measure_times(const Config& config, const PredictOptions& options,
                        const StopRequested& stop_requested) {
  const double seconds = options.seconds / 2;
  auto times = measure_step_times(config.env, seconds, 1, stop_requested);
  if (options.times_file.empty()) return times;
  replace_durably(
      options.times_file,
      fmt::format("# seconds of {} steps of {}, one after the other, random actions\n{}",
                  times.each.size(), config.env.id, recorded_times_text(times.each)));
  return times;
}

void run(const PredictOptions& options) {
  if (!options.times_file.empty()) require_replaceable(options.times_file);
  const Config config = options.config.load();
  const StopSignals signals;
  const Prediction found{
      .env = config.env.id,
      .envs = config.system->envs(),
      .times = measure_times(config, options, signals.stop_requested()),
      .costs = measure_costs(config, options.seconds / 2, signals.stop_requested())};
  options.json ? print_json(options, found) : print_tables(options, found);
}

}  // namespace

void add_predict(CLI::App& program) {
  auto options = std::make_shared<PredictOptions>();
  auto* command = program.add_subcommand(
      "predict", "Predict rates and policy lag from an environment's step times");
  options->config.add_to(*command, {"--steps", "--threads"});
  command->add_option("--alphas", options->alphas, "Steps between two synchronisations")
      ->type_name("N,N,...")
      ->delimiter(',')
      ->transform(whole_number(1, 1000000))
      ->capture_default_str();
  command->add_option("--actors", options->actors, "Actors of an asynchronous system")
      ->type_name("N,N,...")
      ->delimiter(',')
      ->transform(whole_number(1, 1000000))
      ->capture_default_str();
  command->add_option("--seconds", options->seconds, "How long to measure")
      ->transform(real_number(0.2, 3600.0))
      ->capture_default_str();
  command
      ->add_option("--save-times", options->times_file,
                   "Also write the time of each step to FILE, for env.step_times")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "Print JSON");
  end_help(*command,
           {"tandem predict --env latency --set mean_us=2000 --set distribution=exponential \\\n"
            "    --set wait=sleeping --set net.arch=mlp",
            "tandem predict --env atari:Pong --seconds 20 --save-times pong.txt"},
           kPredictFooter);
  command->callback([options] { run(*options); });
}

}  // namespace tandem
