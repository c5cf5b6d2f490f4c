#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tandem/app/cluster_advice.h"
#include "tandem/app/commands.h"
#include "tandem/app/config_options.h"
#include "tandem/app/help.h"
#include "tandem/app/number_check.h"
#include "tandem/app/signals.h"
#include "tandem/base/error.h"
#include "tandem/io/json_text.h"
#include "tandem/io/text_table.h"
#include "tandem/study/advice.h"
#include "tandem/study/training_rate.h"

namespace tandem {
namespace {

constexpr const char* kAdviseFooter = R"(
Measures how long the environment takes for a step, and how evenly, and what
each system costs beside it: a short training in environments that cost nothing.
From both follows how fast, how far behind and how large each system would be.

With --cluster it measures the parts of one system instead, and tells for actors and shards
over machines the rates, the network's load, the memory and the resource that saturates
first. docs/cluster.md shows an example.)";

struct AdviseOptions {
  std::string env;
  std::vector<std::string> sets;
  std::vector<std::string> candidates;
  double seconds = 2;
  bool check = false;
  bool json = false;
  ClusterAdvice cluster;
};

std::vector<Setting> settings_of(const AdviseOptions& options) {
  std::vector<Setting> settings;
  if (!options.env.empty()) settings.push_back({"env.id", options.env, "--env"});
  for (const auto& text : options.sets) settings.push_back(parse_assignment(text));
  return settings;
}

AdviceTask task_of(const AdviseOptions& options) {
  if (options.env.empty()) throw Error("--env is required; only --cluster has a preset's");
  return {.settings = settings_of(options),
          .seconds = options.seconds,
          .check = options.check,
          .named = options.candidates};
}

std::string memory_text(double bytes) {
  return bytes < 1e6 ? fmt::format("{:.0f} kB", 1e-3 * bytes)
                     : fmt::format("{:.0f} MB", 1e-6 * bytes);
}

void print_json(const AdviceTask& task, const EnvMeasures& env,
                const std::vector<Prospect>& forecasts) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& one : forecasts) {
    nlohmann::ordered_json row = {{"system", one.candidate.config.system_name},
                                  {"settings", one.candidate.words},
                                  {"steps_per_second", one.steps_per_second},
                                  {"policy_lag_updates", one.lag},
                                  {"memory_bytes", one.bytes},
                                  {"command", one.command(task)}};
    if (task.check) row["measured_steps_per_second"] = one.measured;
    rows.push_back(std::move(row));
  }
  const nlohmann::ordered_json json = {{"env", env.config.id},
                                       {"t_env_us", 1e6 * env.times.step.mean},
                                       {"t_env_deviation_us", 1e6 * env.times.step.deviation},
                                       {"t_env_busy_share", env.times.busy},
                                       {"env_bytes", env.bytes},
                                       {"forecasts", rows},
                                       {"recommended", recommended(forecasts).command(task)}};
  fmt::print("{}\n", json_text(json));
}

void print_table(const AdviceTask& task, const EnvMeasures& env,
                 const std::vector<Prospect>& forecasts) {
  fmt::print("{}: a step takes {} +- {} ({:.0f}% of it on a core, {} cores), {} each\n\n",
             env.config.id, time_text(env.times.step.mean), time_text(env.times.step.deviation),
             100 * env.times.busy, RunConfig{}.thread_budget(), memory_text(env.bytes));
  std::vector<std::vector<std::string>> rows = {{"SYSTEM", "STEPS/S", "LAG", "MEMORY"}};
  if (task.check) rows.front().insert(rows.front().end(), {"MEASURED", "ERROR"});
  rows.front().emplace_back("SETTINGS");
  for (const auto& one : forecasts) {
    auto& row = rows.emplace_back(std::vector<std::string>{
        one.candidate.config.system_name, fmt::format("{:.0f}", one.steps_per_second),
        plain_number(one.lag, 3), memory_text(one.bytes)});
    if (task.check) {
      row.push_back(fmt::format("{:.0f}", one.measured));
      row.push_back(fmt::format("{:+.0f}%", 100 * one.error()));
    }
    row.push_back(one.candidate.words.empty()
                      ? "preset"
                      : fmt::format("{}", fmt::join(one.candidate.words, " ")));
  }
  fmt::print("{}\n", format_table(rows, terminal_width()));
  fmt::print(
      "LAG: roughly, the updates by which the acting policy is behind. Recommended, as it\n"
      "lags least among those nearly as fast as the fastest:\n\n  {}\n",
      recommended(forecasts).command(task));
}

void run(const AdviseOptions& options) {
  if (options.cluster.wanted()) {
    if (options.check) throw Error("--check trains on this machine; leave it out with --cluster");
    if (!options.candidates.empty()) {
      throw Error(
          "--cluster tells of one system; leave --candidate out, and give its keys by --set");
    }
    return options.cluster.run(settings_of(options), options.seconds, options.json);
  }
  const auto task = task_of(options);
  const StopSignals signals;
  const auto env = measure_env(task, signals.stop_requested());
  const auto all = candidates(task, env);
  spdlog::info(
      "{} trainings, about {:.0f} seconds", all.size(),
      std::ceil(static_cast<double>(all.size()) * (task.seconds * (task.check ? 4 : 1) + 0.5)));
  std::vector<Prospect> forecasts;
  forecasts.reserve(all.size());
  for (const auto& one : all)
    forecasts.push_back(forecast(task, env, one, signals.stop_requested()));
  options.json ? print_json(task, env, forecasts) : print_table(task, env, forecasts);
}

}  // namespace

void add_advise(CLI::App& program) {
  auto options = std::make_shared<AdviseOptions>();
  auto* command = program.add_subcommand(
      "advise", "Foresee rate, policy lag and memory of systems; recommend one");
  command->add_option("--env", options->env, "Environment, as `tandem envs` lists them")
      ->type_name("ID");
  add_sets(*command, options->sets,
           "A key that all systems share, env.*, net.*, algo; any with --cluster");
  command
      ->add_option("--candidate", options->candidates,
                   "A system and settings of its own to look at; may be said again (default: those "
                   "that each system names)")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  command->add_option("--seconds", options->seconds, "Of each measurement")
      ->transform(real_number(0.2, 3600.0))
      ->capture_default_str();
  command->add_flag("--check", options->check, "Train for real, too, and tell the error");
  command->add_flag("--json", options->json, "Print JSON");
  options->cluster.add_to(*command);
  end_help(
      *command,
      {"tandem advise --env atari:Pong --candidate paac --candidate \"hts hts.envs=4\" --check",
       "tandem advise --cluster apex --config apex/two_cores --env atari:Pong \\\n"
       "    --actors 32 --shards 2 --machines 5 --cores 8 --network 10Gbit/s"},
      kAdviseFooter);
  command->callback([options] { run(*options); });
}

}  // namespace tandem
