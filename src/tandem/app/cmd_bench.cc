#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tandem/app/bench_report.h"
#include "tandem/app/commands.h"
#include "tandem/app/config_options.h"
#include "tandem/app/help.h"
#include "tandem/app/signals.h"
#include "tandem/base/error.h"
#include "tandem/io/text_table.h"
#include "tandem/study/system_speed.h"
#include "tandem/trainer/assembly.h"
#include "tandem/trainer/catalogue.h"

namespace tandem {
namespace {

struct BenchOptions {
  ConfigOptions config;
  std::string sweep;
  double seconds = 20;
  bool all = false;
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

void run_sweep(const BenchOptions& options) {
  const auto sweep = parse_sweep(options.sweep);
  // All values are checked before the first is measured.
  std::vector<Config> configs;
  for (const auto& value : sweep.values) {
    configs.push_back(
        options.config.load_with({{sweep.key, value, "--sweep " + sweep.key + "=" + value}}));
  }
  auto json = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows = {speed_head(sweep.key)};
  const StopSignals signals;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const auto speed = measure_system(configs[i], options.seconds, signals.stop_requested());
    auto row = speed_json(configs[i], speed);
    row[sweep.key] = sweep.values[i];
    json.push_back(std::move(row));
    rows.push_back(speed_row(sweep.values[i], speed));
  }
  if (options.json) return fmt::print("{}\n", json.dump(2));
  const auto& config = configs.front();
  fmt::print("{} on {}: net {} on {}, {} threads\n\n{}", config.system_name, config.env.id,
             config.net.arch, config.run.device, config.run.thread_budget(),
             format_table(rows, terminal_width()));
}

/// The networks to measure, as settings: the default preset's own comes first.
std::vector<std::vector<Setting>> networks_for(const EnvSpec& spec) {
  std::vector<std::vector<Setting>> networks = {{}};
  for (const auto& net : networks_to_compare(spec.dtype)) {
    networks.push_back(
        {{"net.arch", net.arch, "--all"}, {"net.lstm", std::to_string(net.lstm), "--all"}});
  }
  return networks;
}

std::string name_of(const NetConfig& net) {
  return net.lstm == 0 ? net.arch : fmt::format("{} + LSTM", net.arch);
}

/// Measures each system with each network, and tells which do not fit.
void run_all(const BenchOptions& options) {
  auto json = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows = {arithmetic_head()};
  std::vector<std::string> misfits;
  const StopSignals signals;
  Config config;
  double peak = 0;
  for (const auto& system : published()->systems) {
    const auto& name = system->info().name;
    const auto spec = Assembly(options.config.load_for(name, {}), signals.stop_requested()).spec();
    std::set<std::string> seen;
    for (const auto& network : networks_for(spec)) {
      config = options.config.load_for(name, network);
      if (!seen.insert(name_of(config.net)).second) continue;
      try {
        const auto speed = measure_system(config, options.seconds, signals.stop_requested());
        peak = std::max(peak, speed.peak);
        json.push_back(speed_json(config, speed));
        rows.push_back(arithmetic_row(name, name_of(config.net), speed));
      } catch (const Error& error) {
        if (signals.stop_requested()()) throw;
        misfits.push_back(fmt::format("{} with {}: {}", name, name_of(config.net), error.what()));
        json.push_back({{"system", name},
                        {"net", config.net.arch},
                        {"lstm", config.net.lstm},
                        {"left_out", error.what()}});
      }
    }
  }
  if (options.json) return fmt::print("{}\n", json.dump(2));
  fmt::print("On {}, {} threads; a core's measured peak: {:.1f} Gop/s\n\n{}", config.env.id,
             config.run.thread_budget(), 1e-9 * peak, format_table(rows, terminal_width()));
  for (const auto& misfit : misfits) fmt::print("\nLeft out: {}\n", misfit);
}

void run(const BenchOptions& options) {
  if (options.config.has_budget()) throw Error("a measurement ends by --seconds, not by steps");
  if (options.all) {
    if (options.config.has_system()) throw Error("--all measures every system; leave SYSTEM out");
    if (!options.sweep.empty()) throw Error("--all has no --sweep; name one SYSTEM for that");
    return run_all(options);
  }
  if (!options.config.has_system()) {
    throw Error("which SYSTEM to measure? `tandem systems` lists them, as in `tandem bench paac`");
  }
  if (!options.sweep.empty()) return run_sweep(options);
  const auto config = options.config.load();
  const StopSignals signals;
  const auto speed = measure_system(config, options.seconds, signals.stop_requested());
  if (options.json) return fmt::print("{}\n", speed_json(config, speed).dump(2));
  print_speed(config, speed);
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
  bench->add_flag("--all", options->all, "Every system with every network, beside a core's peak");
  bench->add_flag("--json", options->json, "Print JSON");
  add_bench_env(*bench);
  add_bench_replay(*bench);
  end_help(*bench, {"tandem bench paac --env atari:Pong", "tandem bench --all --seconds 5"});
  bench->callback([options, bench] {
    if (bench->get_subcommands().empty()) run(*options);
  });
}

}  // namespace tandem
