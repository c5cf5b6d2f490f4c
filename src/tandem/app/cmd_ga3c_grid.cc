#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tandem/app/assembly.h"
#include "tandem/app/commands.h"
#include "tandem/app/config_options.h"
#include "tandem/app/drawing.h"
#include "tandem/app/ga3c_grid.h"
#include "tandem/app/table.h"
#include "tandem/base/error.h"
#include "tandem/run/files.h"
#include "tandem/systems/ga3c_adjustment.h"

namespace tandem {
namespace {

constexpr std::size_t kShown = 3;  // settings of each number of agents: "the top three"

struct Options {
  ConfigOptions config{"ga3c"};
  std::vector<std::int64_t> agents = {16, 32, 64, 128};
  std::vector<std::int64_t> predictors = {1, 2, 4};
  std::vector<std::int64_t> trainers = {1, 2, 4};
  std::vector<std::string> nets = {"nips", "large4", "large3", "large2", "large1"};
  std::vector<std::string> beside = {"a3c", "paac"};
  int rounds = 3;
  double seconds = 10;
  std::string out;
};

/// All combinations of the numbers of threads, with the config's network.
std::vector<Config> grid(const Options& options, const Config& config) {
  std::vector<Config> all;
  for (const auto agents : options.agents) {
    for (const auto predictors : options.predictors) {
      for (const auto trainers : options.trainers) {
        auto& one = all.emplace_back(config);
        one.ga3c.agents = agents;
        one.ga3c.predictors = predictors;
        one.ga3c.trainers = trainers;
      }
    }
  }
  return all;
}

/// Every network with this config and with the systems beside it.
std::vector<Config> networks(const Options& options, const Config& config) {
  std::vector<Config> all;
  for (const auto& net : options.nets) {
    auto one = config;
    one.net.arch = net;
    all.push_back(one);
    for (const auto& system : options.beside) all.push_back(same_task(one, system));
  }
  return all;
}

/// Measures, and tells how far it has come.
class Measurements {
 public:
  Measurements(const Options& options, std::size_t count)
      : seconds_(options.seconds), count_(count) {}

  GridRow measure(const Config& config) {
    const auto row = make_row(config, measure_training(config, seconds_, signals_));
    ++done_;
    const auto& threads = row.threads;
    spdlog::info("{} of {}: {} with {}{}: {:.0f} steps/s", done_, count_, row.system, row.net,
                 row.system == "ga3c"
                     ? fmt::format(", {} agents, {} predictors, {} trainers", threads.agents,
                                   threads.predictors, threads.trainers)
                     : "",
                 row.predictions_per_second);
    return row;
  }

 private:
  const double seconds_;
  const std::size_t count_;
  std::size_t done_ = 0;
  StopSignals signals_;
};

/// The figures are in the tables without it.
void draw(const std::string& folder) {
  try {
    if (run_drawing("plot_ga3c_grid", {folder}) == 0) return;
  } catch (const Error& error) {
    spdlog::warn("there is no picture: {}", error.what());
  }
}

void run(const Options& options) {
  if (options.config.has_budget()) throw Error("a measurement ends by --seconds, not by steps");
  auto config = options.config.load();
  const auto settings = grid(options, config);
  const auto nets = networks(options, config);
  for (const auto& one : nets) const Assembly refuses_what_cannot_be_trained(one);
  make_folder(options.out);
  const std::filesystem::path folder = options.out;
  Measurements measurements(options, settings.size() + options.rounds * nets.size());
  spdlog::info("about {:.0f} minutes; the files in {} grow meanwhile",
               static_cast<double>(settings.size() + options.rounds * nets.size()) *
                   (options.seconds + 1) / 60,
               options.out);

  std::vector<GridRow> rows;
  for (const auto& setting : settings) {
    rows.push_back(measurements.measure(setting));
    replace_durably(folder / "grid.csv", grid_csv(rows));
  }
  // By turns, so that whatever else the machine does hits all alike.
  std::vector<std::vector<GridRow>> rounds(nets.size());
  std::vector<GridRow> middle;
  for (int round = 0; round < options.rounds; ++round) {
    middle.clear();
    for (std::size_t i = 0; i < nets.size(); ++i) {
      rounds[i].push_back(measurements.measure(nets[i]));
      middle.push_back(*median_row(rounds[i]));
    }
    replace_durably(folder / "networks.csv", grid_csv(middle));
  }
  const auto best = best_of_each(rows, kShown);
  fmt::print("{} of each number of agents, net {}, {} cores\n\n{}\n", kShown, config.net.arch,
             RunConfig{}.thread_budget(), grid_table(best, terminal_width()));
  fmt::print("medians of {} rounds\n\n{}", options.rounds, network_table(middle, terminal_width()));
  draw(options.out);
}

}  // namespace

void add_ga3c_grid(CLI::App& experiment) {
  auto options = std::make_shared<Options>();
  auto* command = experiment.add_subcommand(
      "ga3c-grid",
      "Trainings and predictions a second over the numbers of agents, predictors and trainers, and "
      "by network beside other systems (GA3C's Figures 3 and 4, Table 2)");
  options->config.add_to(*command);
  const auto list = [&](const char* name, auto& values, const char* type, const char* meaning) {
    return command->add_option(name, values, meaning)
        ->type_name(type)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->capture_default_str();
  };
  list("--agents", options->agents, "N,N,...", "Numbers of agents (N_A)")
      ->check(CLI::Range(1, Ga3cThreads::kMost.agents));
  list("--predictors", options->predictors, "N,N,...", "Numbers of predictors (N_P)")
      ->check(CLI::Range(1, Ga3cThreads::kMost.predictors));
  list("--trainers", options->trainers, "N,N,...", "Numbers of trainers (N_T)")
      ->check(CLI::Range(1, Ga3cThreads::kMost.trainers));
  list("--nets", options->nets, "NET,NET,...", "Networks, with the threads of the config");
  list("--beside", options->beside, "SYSTEM,...", "Systems to measure beside it, by turns");
  command->add_option("--rounds", options->rounds, "Turns of each network")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  command->add_option("--seconds", options->seconds, "Of each training")
      ->check(CLI::Range(0.2, 3600.0))
      ->capture_default_str();
  command->add_option("--out", options->out, "Folder of grid.csv, networks.csv and ga3c-grid.png")
      ->type_name("DIR")
      ->required();
  command->footer(
      "  tandem experiment ga3c-grid --config ga3c/atari --env atari:Pong --out runs/grid");
  command->callback([options] { run(*options); });
}

}  // namespace tandem
