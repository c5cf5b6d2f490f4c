#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tandem/app/commands.h"
#include "tandem/app/drawing.h"
#include "tandem/app/help.h"
#include "tandem/app/new_tables.h"
#include "tandem/app/number_check.h"
#include "tandem/app/signals.h"
#include "tandem/io/files.h"
#include "tandem/io/text_table.h"
#include "tandem/study/hts/hts_runtime.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr std::array kRuntimeTables{"runtime.csv", "latency.csv"};

constexpr const char* kHtsRuntimeFooter = R"(
The environments sleep for exponentially distributed times, in place of real ones
whose steps are long and uneven. Each figure is derived by HTS-RL's paper
(Claims 1 and 2), simulated and measured:
  a  steps per second by the variance of step times, alpha fixed
  b  the same by alpha, step time fixed, and of A2C, which waits at each step
  c  the policy lag of an asynchronous system (IMPALA), by its number of actors)";

struct HtsRuntimeOptions {
  HtsRuntimeTask task;
  std::vector<double> means_ms = {0.5, 1, 2, 4, 8};
  std::vector<std::int64_t> alphas = {1, 4, 16, 64, 128, 256, 512};
  std::vector<std::int64_t> actors = {1, 4, 8, 16, 24, 32};
  double mean_ms = 2;
  std::int64_t alpha = 4;
  std::string out;
};

/// Measures the rows of all figures and reports progress.
class RuntimeMeasurements {
 public:
  explicit RuntimeMeasurements(const HtsRuntimeOptions& options)
      : options_(options),
        count_(2 * options.means_ms.size() + options.alphas.size() + 1 + options.actors.size()) {
    constexpr double kBesides = 1.5;  // seconds for step times, costs and the start
    spdlog::info("{} trainings, about {:.0f} minutes or more; the tables in {} grow meanwhile",
                 count_, static_cast<double>(count_) * (1.2 * options.task.seconds + kBesides) / 60,
                 options.out);
  }

  /// Measures the rows of Figures 3 a and b.
  std::vector<RuntimeRow> runtimes() {
    std::vector<RuntimeRow> rows;
    const auto add = [&](const char* figure, RuntimeRow row) {
      row.figure = figure;
      tell(fmt::format("{} steps of {:g} ms, alpha {}: {:.0f} steps/s", row.system, row.mean_ms,
                       row.alpha, row.measured));
      rows.push_back(std::move(row));
      replace_durably(fs::path(options_.out) / kRuntimeTables[0], runtime_csv(rows));
    };
    for (const double mean : options_.means_ms) {
      add("a", measure_a2c_runtime(options_.task, mean, signals_.stop_requested()));
      add("a", measure_hts_runtime(options_.task, mean, options_.alpha, signals_.stop_requested()));
    }
    add("b", measure_a2c_runtime(options_.task, options_.mean_ms, signals_.stop_requested()));
    for (const auto alpha : options_.alphas) {
      add("b",
          measure_hts_runtime(options_.task, options_.mean_ms, alpha, signals_.stop_requested()));
    }
    return rows;
  }

  /// Measures the rows of Figure 3 c.
  std::vector<LatencyRow> latencies() {
    std::vector<LatencyRow> rows;
    for (const auto actors : options_.actors) {
      rows.push_back(
          measure_latency(options_.task, options_.mean_ms, actors, signals_.stop_requested()));
      tell(fmt::format("IMPALA, {} actors: {:.2f} updates behind", actors, rows.back().lag));
      replace_durably(fs::path(options_.out) / kRuntimeTables[1], latency_csv(rows));
    }
    return rows;
  }

 private:
  void tell(const std::string& what) { spdlog::info("{} of {}: {}", ++done_, count_, what); }

  const HtsRuntimeOptions& options_;
  const std::size_t count_;
  std::size_t done_ = 0;
  StopSignals signals_;
};

void run(const HtsRuntimeOptions& options) {
  make_folder_for(kRuntimeTables, options.out);
  RuntimeMeasurements measurements(options);
  const auto runtimes = measurements.runtimes();
  const auto latencies = measurements.latencies();
  fmt::print("steps per second of {} environments side by side\n\n{}\n", options.task.envs,
             runtime_table(runtimes, terminal_width()));
  fmt::print("updates by which IMPALA's policy is behind; HTS-RL's is 1 behind\n\n{}",
             latency_table(latencies, terminal_width()));
  draw_experiment("plot_hts_runtime", options.out);
}

}  // namespace

void add_hts_runtime(CLI::App& experiment) {
  auto options = std::make_shared<HtsRuntimeOptions>();
  auto* command = experiment.add_subcommand(
      "hts-runtime", "HTS-RL: steps a second and policy lag (Figures 3 a-c)");
  const auto list = [&](const char* name, auto& values, const char* meaning) {
    return command->add_option(name, values, meaning)
        ->type_name("N,N,...")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->capture_default_str();
  };
  list("--means", options->means_ms, "Mean step times of figure a, in milliseconds")
      ->transform(real_number(0.01, 1000.0));
  list("--alphas", options->alphas, "Steps between two synchronisations, of figure b")
      ->transform(whole_number(1, 10000));
  list("--actors", options->actors, "Numbers of IMPALA's actors, of figure c")
      ->transform(whole_number(1, 1024));
  command->add_option("--mean", options->mean_ms, "Mean step time of figures b and c, in ms")
      ->transform(real_number(0.01, 1000.0))
      ->capture_default_str();
  command->add_option("--alpha", options->alpha, "Of figure a")
      ->transform(whole_number(1, 10000))
      ->capture_default_str();
  command->add_option("--envs", options->task.envs, "Environments side by side, of a and b")
      ->transform(whole_number(1, 1024))
      ->capture_default_str();
  command->add_option("--seconds", options->task.seconds, "Of each training")
      ->transform(real_number(0.2, 3600.0))
      ->capture_default_str();
  command
      ->add_option("--out", options->out, "Folder of runtime.csv, latency.csv and hts-runtime.png")
      ->type_name("DIR")
      ->required();
  end_help(*command, {"tandem experiment hts-runtime --seconds 5 --out runs/runtime"},
           kHtsRuntimeFooter);
  command->callback([options] { run(*options); });
}

}  // namespace tandem
