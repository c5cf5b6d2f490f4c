#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tandem/app/commands.h"
#include "tandem/app/config_options.h"
#include "tandem/app/drawing.h"
#include "tandem/app/help.h"
#include "tandem/app/new_tables.h"
#include "tandem/app/number_check.h"
#include "tandem/app/signals.h"
#include "tandem/base/error.h"
#include "tandem/io/files.h"
#include "tandem/io/text_table.h"
#include "tandem/study/ga3c/ga3c_grid.h"
#include "tandem/trainer/assembly.h"
#include "tandem/trainer/measured.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr std::array kGridTables{"grid.csv", "networks.csv"};
constexpr std::size_t kShown = 3;  // settings shown for each number of agents: "the top three"

struct Ga3cGridOptions {
  ConfigOptions config{kGa3c};
  std::vector<std::int64_t> agents = {16, 32, 64, 128};
  std::vector<std::int64_t> predictors = {1, 2, 4};
  std::vector<std::int64_t> trainers = {1, 2, 4};
  std::vector<std::string> nets = {"nips", "large4", "large3", "large2", "large1"};
  std::vector<std::string> beside;  // empty: the systems of forward_once()
  int rounds = 3;
  double seconds = 5;
  std::string out;
};

/// The configs of all combinations of thread numbers, with the config's network.
std::vector<Config> grid(const Ga3cGridOptions& options, const Config& config) {
  std::vector<Config> all;
  for (const auto agents : options.agents) {
    for (const auto predictors : options.predictors) {
      for (const auto trainers : options.trainers) {
        auto& one = all.emplace_back(config);
        ga3c_of(one).agents = agents;
        ga3c_of(one).predictors = predictors;
        ga3c_of(one).trainers = trainers;
      }
    }
  }
  return all;
}

/// The configs of every network, for GA3C and for each of the other systems.
std::vector<Config> networks(const Ga3cGridOptions& options, const Config& config) {
  const auto beside = options.beside.empty() ? forward_once(config) : options.beside;
  std::vector<Config> all;
  for (const auto& net : options.nets) {
    auto one = config;
    one.net.arch = net;
    one.net.layers.clear();
    all.push_back(one);
    for (const auto& system : beside) all.push_back(same_task(one, system));
  }
  return all;
}

/// Measures the configs and reports progress.
class Measurements {
 public:
  Measurements(const Ga3cGridOptions& options, std::size_t configs)
      : rounds_(options.rounds),
        seconds_(options.seconds),
        count_(configs * static_cast<std::size_t>(options.rounds)) {
    spdlog::info("{} trainings, about {:.0f} minutes; the tables in {} grow meanwhile", count_,
                 std::ceil(static_cast<double>(count_) * (seconds_ + kStartSeconds) / 60),
                 options.out);
  }

  /// Returns the medians of each config over all rounds, and keeps those so far in the file
  /// `table`. Every round measures each config once, so that other work on the machine affects all
  /// alike.
  std::vector<GridRow> measure(const std::vector<Config>& configs, const fs::path& table) {
    std::vector<std::vector<GridRow>> rows(configs.size());
    std::vector<GridRow> medians;
    for (int round = 0; round < rounds_; ++round) {
      for (std::size_t i = 0; i < configs.size(); ++i) {
        rows[i].push_back(measure(configs[i]));
        if (round == 0) medians.emplace_back();
        medians[i] = median_row(rows[i]);
        replace_durably(table, grid_csv(medians));
      }
    }
    return medians;
  }

 private:
  GridRow measure(const Config& config) {
    auto row = make_row(config, measure_training(config, seconds_, signals_.stop_requested()));
    spdlog::info("{} of {}: {}: {:.0f} steps/s", ++done_, count_, setting_text(row),
                 row.predictions_per_second);
    return row;
  }

  static constexpr double kStartSeconds = 1;  // about the time that a training takes to start

  const int rounds_;
  const double seconds_;
  const std::size_t count_;
  std::size_t done_ = 0;
  StopSignals signals_;
};

void run(const Ga3cGridOptions& options) {
  if (options.config.has_budget()) throw Error("a measurement ends by --seconds, not by steps");
  auto config = options.config.load();
  const auto settings = grid(options, config);
  const auto nets = networks(options, config);
  for (const auto& one : nets) const Assembly refuses_what_cannot_be_trained(without_scale(one));
  make_folder_for(kGridTables, options.out);
  const fs::path folder = options.out;
  Measurements measurements(options, settings.size() + nets.size());
  const auto by_setting = measurements.measure(settings, folder / kGridTables[0]);
  const auto by_net = measurements.measure(nets, folder / kGridTables[1]);
  const auto best = best_of_each(by_setting, kShown);
  fmt::print("the best {} of each number of agents, net {}, {} cores, medians of {}\n\n{}\n{}",
             kShown, config.net.arch, RunConfig{}.thread_budget(), options.rounds,
             grid_table(best, terminal_width()), network_table(by_net, terminal_width()));
  draw_experiment("plot_ga3c_grid", options.out);
}

}  // namespace

void add_ga3c_grid(CLI::App& experiment) {
  auto options = std::make_shared<Ga3cGridOptions>();
  auto* command = experiment.add_subcommand(
      "ga3c-grid", "GA3C: rates by threads and by network (Figures 3 and 4, Table 2)");
  options->config.add_to(*command);
  const auto list = [&](const char* name, auto& values, const char* type, const char* meaning) {
    return command->add_option(name, values, meaning)
        ->type_name(type)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->capture_default_str();
  };
  list("--agents", options->agents, "N,N,...", "Numbers of agents (N_A)")
      ->transform(whole_number(1, Ga3cThreads::kMost.agents));
  list("--predictors", options->predictors, "N,N,...", "Numbers of predictors (N_P)")
      ->transform(whole_number(1, Ga3cThreads::kMost.predictors));
  list("--trainers", options->trainers, "N,N,...", "Numbers of trainers (N_T)")
      ->transform(whole_number(1, Ga3cThreads::kMost.trainers));
  list("--nets", options->nets, "NET,NET,...", "Networks, with the threads of the config");
  list("--beside", options->beside, "SYSTEM,...",
       "Systems to measure beside it, by turns (default: those that learn on the pass that acted)");
  command->add_option("--rounds", options->rounds, "Turns of each training, whose median counts")
      ->transform(whole_number(1, 100))
      ->capture_default_str();
  command->add_option("--seconds", options->seconds, "Of each training")
      ->transform(real_number(0.2, 3600.0))
      ->capture_default_str();
  command->add_option("--out", options->out, "Folder of grid.csv, networks.csv and ga3c-grid.png")
      ->type_name("DIR")
      ->required();
  end_help(
      *command,
      {"tandem experiment ga3c-grid --config ga3c/atari --env atari:Pong --out runs/grid"},
      "Measures trainings and predictions a second over the numbers of agents, predictors and\n"
      "trainers, and steps a second of each network beside other systems.");
  command->callback([options] { run(*options); });
}

}  // namespace tandem
