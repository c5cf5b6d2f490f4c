#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/app/commands.h"
#include "tandem/app/config_options.h"
#include "tandem/app/help.h"
#include "tandem/app/signals.h"
#include "tandem/base/error.h"
#include "tandem/io/text_table.h"
#include "tandem/study/system_speed.h"

namespace tandem {
namespace {

struct BenchOptions {
  ConfigOptions config;
  std::string sweep;
  double seconds = 20;
  bool json = false;
};

/// A key and the values to measure one after another.
struct Sweep {
  std::string key;
  std::vector<std::string> values;
};

Sweep parse_sweep(const std::string& text) {
  const auto equals = text.find('=');
  Sweep sweep{.key = text.substr(0, equals), .values = {}};
  std::istringstream list(equals == std::string::npos ? "" : text.substr(equals + 1));
  for (std::string value; std::getline(list, value, ',');) sweep.values.push_back(value);
  if (sweep.key.empty() || sweep.values.empty()) {
    throw Error(
        fmt::format("--sweep {}: needs a key and its values, as in run.threads=1,2,4", text));
  }
  return sweep;
}

double microseconds(double seconds) { return 1e6 * seconds; }

nlohmann::ordered_json to_json(const Config& config, const SystemSpeed& speed) {
  const auto frames = static_cast<double>(config.env.frames_per_step());
  nlohmann::ordered_json json = {{"system", config.system_name},
                                 {"env", config.env.id},
                                 {"net", config.net.arch},
                                 {"device", config.run.device},
                                 {"threads", speed.threads},
                                 {"envs_per_forward_pass", speed.batching.envs},
                                 {"steps_per_second", speed.steps_per_second},
                                 {"frames_per_second", speed.steps_per_second * frames},
                                 {"t_env_us", microseconds(speed.costs.env)},
                                 {"t_inference_us", microseconds(speed.costs.inference)},
                                 {"t_train_us", microseconds(speed.costs.training)},
                                 {"limit_steps_per_second", speed.limit},
                                 {"fraction_of_limit", speed.fraction()},
                                 {"time/stepping", speed.shares.stepping},
                                 {"time/inferring", speed.shares.inferring},
                                 {"time/learning", speed.shares.learning},
                                 {"time/waiting", speed.shares.waiting}};
  if (speed.batching.replayed > 0) {
    json["samples_per_update"] = speed.batching.replayed;
  } else {
    json["steps_per_rollout"] = speed.batching.steps;
    json["rollouts_per_update"] = speed.batching.rollouts;
  }
  json.update(speed.own);
  return json;
}

std::string update_text(const Batching& batching) {
  if (batching.replayed > 0) {
    return fmt::format("{} environments in a forward pass; an update from {} of the replay's",
                       batching.envs, batching.replayed);
  }
  return fmt::format("an update from {} rollouts of {} x {} steps", batching.rollouts,
                     batching.envs, batching.steps);
}

std::string percent(double share) { return fmt::format("{:.0f}%", 100 * share); }

std::string cost(double seconds) { return fmt::format("{:.1f} us", microseconds(seconds)); }

/// The row of a log key. The key "ga3c/prediction_seconds_p99" with the value 0.02 gives
/// "prediction p99" and "20.0 ms".
std::vector<std::string> own_row(const std::string& key, double value) {
  constexpr std::string_view kSeconds = "_seconds";
  auto name = key.substr(key.find('/') + 1);
  const auto unit = name.find(kSeconds);
  if (unit != std::string::npos) name.erase(unit, kSeconds.size());
  std::ranges::replace(name, '_', ' ');
  return {name, unit == std::string::npos ? fmt::format("{:.4g}", value) : time_text(value), ""};
}

void print(const Config& config, const SystemSpeed& speed) {
  const auto& [env, inference, training] = speed.costs;
  const bool cpu = config.run.device == "cpu";
  fmt::print("{} on {}: net {} on {}, {} threads; {}\n\n", config.system_name, config.env.id,
             config.net.arch, config.run.device, speed.threads, update_text(speed.batching));
  std::vector<std::vector<std::string>> rows = {
      {"ONE STEP, ONE CORE", "", "WHILE ALL CORES WORK"},
      {"t_env", cost(env), "emulator and observation"},
      {"t_inf", cost(inference), "acting and bootstrapping"},
      {"t_train", cost(training), "gradient and update"},
      {"", "", ""},
      {"WHOLE TRAINING", "", ""},
      {"reached", fmt::format("{:.0f} steps/s", speed.steps_per_second),
       percent(speed.fraction()) + " of the limit"},
      {"limit", fmt::format("{:.0f} steps/s", speed.limit),
       cpu ? "cores / (t_env + t_inf + t_train)" : "cores / t_env"},
      {"", "", ""},
      {"THREADS' TIME", "", ""},
      {"stepping", percent(speed.shares.stepping), ""},
      {"inferring", percent(speed.shares.inferring), ""},
      {"learning", percent(speed.shares.learning), ""},
      {"waiting", percent(speed.shares.waiting), ""}};
  if (!speed.own.empty()) {
    rows.insert(rows.end(), {{"", "", ""}, {config.system_name + "'S OWN", "", "AS IN ITS LOGS"}});
    for (const auto& [key, value] : speed.own.items()) rows.push_back(own_row(key, value));
  }
  fmt::print("{}", format_table(rows, terminal_width()));
}

std::vector<std::string> sweep_row(const std::string& value, const SystemSpeed& speed) {
  return {value,
          fmt::format("{:.0f}", speed.steps_per_second),
          percent(speed.fraction()),
          fmt::format("{:.1f}", microseconds(speed.costs.env)),
          fmt::format("{:.1f}", microseconds(speed.costs.inference)),
          fmt::format("{:.1f}", microseconds(speed.costs.training)),
          percent(speed.shares.stepping),
          percent(speed.shares.inferring),
          percent(speed.shares.learning),
          percent(speed.shares.waiting)};
}

void run_sweep(const BenchOptions& options) {
  const auto sweep = parse_sweep(options.sweep);
  // All values are checked before the first is measured.
  std::vector<Config> configs;
  for (const auto& value : sweep.values) {
    configs.push_back(
        options.config.load_with({{sweep.key, value, "--sweep " + sweep.key + "=" + value}}));
  }
  auto json = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows = {{sweep.key, "steps/s", "of limit", "t_env us",
                                                 "t_inf us", "t_train us", "step", "infer", "learn",
                                                 "wait"}};
  const StopSignals signals;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const auto speed = measure_system(configs[i], options.seconds, signals.stop_requested());
    auto row = to_json(configs[i], speed);
    row[sweep.key] = sweep.values[i];
    json.push_back(std::move(row));
    rows.push_back(sweep_row(sweep.values[i], speed));
  }
  if (options.json) return fmt::print("{}\n", json.dump(2));
  const auto& config = configs.front();
  fmt::print("{} on {}: net {} on {}, {} threads\n\n{}", config.system_name, config.env.id,
             config.net.arch, config.run.device, config.run.thread_budget(),
             format_table(rows, terminal_width()));
}

void run(const BenchOptions& options) {
  if (!options.config.has_system()) {
    throw Error("which SYSTEM to measure? `tandem systems` lists them, as in `tandem bench paac`");
  }
  if (options.config.has_budget()) throw Error("a measurement ends by --seconds, not by steps");
  if (!options.sweep.empty()) return run_sweep(options);
  const auto config = options.config.load();
  const StopSignals signals;
  const auto speed = measure_system(config, options.seconds, signals.stop_requested());
  if (options.json) return fmt::print("{}\n", to_json(config, speed).dump(2));
  print(config, speed);
}

}  // namespace

void add_bench(CLI::App& program) {
  auto options = std::make_shared<BenchOptions>();
  auto* bench =
      program.add_subcommand("bench", "Measure a system's speed against the limit of its parts");
  options->config.add_to(*bench);
  bench->add_option("--sweep", options->sweep, "Measure with each value: run.threads=1,2,4")
      ->type_name("KEY=A,B,...");
  bench->add_option("--seconds", options->seconds, "How long to measure (each value)")
      ->check(CLI::Range(0.5, 3600.0))
      ->capture_default_str();
  bench->add_flag("--json", options->json, "Print JSON");
  add_bench_env(*bench);
  add_bench_replay(*bench);
  end_help(*bench, {"tandem bench paac --env atari:Pong",
                    "tandem bench a3c --env atari:Pong --sweep a3c.learners=2,16 --seconds 5"});
  bench->callback([options, bench] {
    if (bench->get_subcommands().empty()) run(*options);
  });
}

}  // namespace tandem
