#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tandem/app/bench_report.h"
#include "tandem/app/commands.h"
#include "tandem/app/config_options.h"
#include "tandem/app/help.h"
#include "tandem/app/number_check.h"
#include "tandem/app/signals.h"
#include "tandem/base/cpu.h"
#include "tandem/base/error.h"
#include "tandem/io/json_text.h"
#include "tandem/io/text_table.h"
#include "tandem/study/parts_to_measure.h"
#include "tandem/study/system_speed.h"
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

std::string full_key(const std::string& key, Config config) {
  const auto fields = config.fields();
  return find_field(published()->in_common_words({key, std::string(), "--sweep"}), fields).key;
}

/// The settings that all rows of a sweep have in common, without the key that varies.
std::string speed_heading(const Config& config, const std::string& varied) {
  std::vector<std::string> parts;
  const auto add = [&](const char* key, std::string text) {
    if (varied != key) parts.push_back(std::move(text));
  };
  add("net.arch", "net " + config.net.arch);
  add("run.device", "on " + config.run.device);
  add("run.threads", fmt::format("{} threads", config.run.thread_budget()));
  const auto system =
      varied == "env.id" ? config.system_name : config.system_name + " on " + config.env.id;
  return fmt::format("{}: {}", system, fmt::join(parts, ", "));
}

/// Measures with each value. Prints the rows that there are, also if the user stops it.
void run_sweep(const BenchOptions& options) {
  const auto sweep = parse_sweep(options.sweep);
  // All values are checked before the first is measured.
  std::vector<Config> configs;
  for (const auto& value : sweep.values) {
    configs.push_back(
        options.config.load_with({{sweep.key, value, "--sweep " + sweep.key + "=" + value}}));
  }
  const auto key = full_key(sweep.key, configs.front());
  auto json = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows = {speed_head(sweep.key)};
  const auto print = [&] {
    if (options.json) return fmt::print("{}\n", json_text(json));
    fmt::print("{}\n\n{}", speed_heading(configs.front(), key),
               format_table(rows, terminal_width()));
  };
  const StopSignals signals;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    try {
      const auto speed = measure_system(configs[i], options.seconds, signals.stop_requested());
      auto row = speed_json(configs[i], speed);
      row[key] = sweep.values[i];
      json.push_back(std::move(row));
      rows.push_back(speed_row(sweep.values[i], speed));
    } catch (const Error&) {
      if (i > 0) print();
      throw;
    }
  }
  print();
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
  return fmt::format("{}{}{}", net.arch, net.lstm == 0 ? "" : " + LSTM",
                     net.precision == "bf16" ? ", bf16" : "");
}

/// The measurements of --all: a row for each system and network, and the pairs that do not fit.
struct Comparison {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows = {arithmetic_head()};
  std::vector<std::string> misfits;
  Config config;  // of the last one
  double peak = 0;

  [[nodiscard]] bool measured() const { return rows.size() > 1; }  // the first is the head
};

/// Refuses what would make the rows of --all alike, or their arithmetic that of no core.
void check_comparable(const Config& config) {
  if (!config.net.layers.empty()) {
    throw Error("--all measures the networks that have names; leave net.layers out");
  }
  if (config.run.device != "cpu") {
    throw Error(fmt::format("--all counts the arithmetic of a CPU's core; leave --device {} out",
                            config.run.device));
  }
}

/// Runs a measurement, or notes why the system does not fit. Throws Error if the user stops it.
void fit_or_note(Comparison& all, const std::string& system, const std::string& net,
                 const StopRequested& stop, const std::function<void()>& measure) {
  try {
    measure();
  } catch (const Error& error) {
    if (stop()) throw;
    const auto name = net.empty() ? system : fmt::format("{} with {}", system, net);
    all.misfits.push_back(fmt::format("{}: {}", name, error.what()));
    all.json.push_back({{"system", system}, {"net", net}, {"left_out", error.what()}});
  }
}

/// Measures one system, whose config is `given`, with each network.
void compare_networks(const std::string& system, const Config& given, const BenchOptions& options,
                      const StopRequested& stop, Comparison& all) {
  std::set<std::string> seen;
  for (const auto& network : networks_for(parts_to_measure(given, stop).spec())) {
    all.config = options.config.load_for(system, network);
    const auto net = name_of(all.config.net);
    if (!seen.insert(net).second) continue;
    fit_or_note(all, system, net, stop, [&] {
      const auto speed = measure_system(all.config, options.seconds, stop);
      all.peak = std::max(all.peak, speed.peak);
      all.json.push_back(speed_json(all.config, speed));
      all.rows.push_back(arithmetic_row(system, net, speed));
    });
  }
}

void compare_all(const BenchOptions& options, const StopRequested& stop, Comparison& all) {
  for (const auto& system : published()->systems) {
    const auto& name = system->info().name;
    std::optional<Config> given;
    fit_or_note(all, name, "", stop, [&] { given = options.config.load_for(name, {}); });
    if (!given) continue;
    check_comparable(*given);
    fit_or_note(all, name, "", stop, [&] { compare_networks(name, *given, options, stop, all); });
  }
  if (all.measured()) return;
  std::set<std::string> reasons;
  for (const auto& one : all.json) reasons.insert(one.at("left_out"));
  // A word that no system knows is told once.
  if (reasons.size() == 1) throw Error(*reasons.begin());
  throw Error(fmt::format("{}", fmt::join(all.misfits, "; ")));
}

void print_comparison(const Comparison& all, const BenchOptions& options) {
  if (options.json) return fmt::print("{}\n", json_text(all.json));
  fmt::print("On {}, {} threads, {} s a row; a core's measured peak: {:.1f} Gop/s{}\n\n{}",
             all.config.env.id, all.config.run.thread_budget(), options.seconds, 1e-9 * all.peak,
             best_simd() == Simd::amx ? " by AVX-512; AMX, where a network uses it, does more" : "",
             format_table(all.rows, terminal_width()));
  for (const auto& misfit : all.misfits) fmt::print("\nLeft out: {}\n", misfit);
}

/// Prints the rows that there are, also if the user stops it.
void run_all(const BenchOptions& options) {
  const StopSignals signals;
  Comparison all;
  try {
    compare_all(options, signals.stop_requested(), all);
  } catch (const Error&) {
    if (all.measured()) print_comparison(all, options);
    throw;
  }
  print_comparison(all, options);
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
  if (options.json) return fmt::print("{}\n", json_text(speed_json(config, speed)));
  print_speed(config, speed);
}

/// Words before the name of a subcommand would count for `bench` itself, which does not run then.
void refuse_options_of_both(const CLI::App& bench) {
  if (bench.get_subcommands().empty()) return;
  const auto name = bench.get_subcommands().front()->get_name();
  for (const auto* option : bench.get_options()) {
    if (option->count() == 0) continue;
    throw Error(fmt::format(
        "{} stands before `{}`, which has options of its own: write them behind it (`tandem bench "
        "{} --help` lists them)",
        option->get_name(), name, name));
  }
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
      ->transform(real_number(0.5, 3600.0))
      ->capture_default_str();
  bench->add_flag("--all", options->all, "Every system with every network, beside a core's peak");
  bench->add_flag("--json", options->json, "Print JSON");
  add_bench_env(*bench);
  add_bench_replay(*bench);
  end_help(*bench, {"tandem bench paac --env atari:Pong", "tandem bench --all --seconds 5"});
  bench->parse_complete_callback([bench] { refuse_options_of_both(*bench); });
  bench->callback([options, bench] {
    if (bench->get_subcommands().empty()) run(*options);
  });
}

}  // namespace tandem
