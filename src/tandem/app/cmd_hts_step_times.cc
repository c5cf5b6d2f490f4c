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
#include "tandem/env/recorded_times.h"
#include "tandem/io/files.h"
#include "tandem/io/text_table.h"
#include "tandem/study/hts/hts_step_times.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHtsStepTimesFooter = R"(
Each FILE has the step times of an environment, in seconds, a line for each step;
`tandem predict --save-times` records them. The steps of many environments then
sleep for these times in place of computing, so that they run side by side on few
cores: each environment begins at a random line and replays the lines that follow.
A2C waits for all of them at each step, HTS-RL every alpha steps. Beside the
measured speed-up stand that of Claim 1, whose step times are independent, and that
of a simulation with the recorded times.)";

constexpr std::array kStepTimesTables{"step_times.csv"};

struct HtsStepTimesOptions {
  HtsStepTimesTask task;
  std::vector<std::string> files;
  std::string out;
};

void run(const HtsStepTimesOptions& options) {
  for (const auto& file : options.files) static_cast<void>(read_recorded_times(file));
  make_folder_for(kStepTimesTables, options.out);
  const StopSignals signals;
  std::vector<StepTimesRow> rows;
  for (const auto& file : options.files) {
    rows.push_back(measure_hts_step_times(options.task, file, signals.stop_requested()));
    const auto& row = rows.back();
    spdlog::info("{} of {}: {}: {:.2f} times A2C's steps", rows.size(), options.files.size(),
                 row.scenario, row.hts.measured / row.a2c.measured);
    replace_durably(fs::path(options.out) / kStepTimesTables[0],
                    step_times_csv(options.task, rows));
  }
  fmt::print("steps per second of {} environments side by side, HTS-RL with alpha {}\n\n{}",
             options.task.envs, options.task.alpha, step_times_table(rows, terminal_width()));
  draw_experiment("plot_hts_step_times", options.out);
}

}  // namespace

void add_hts_step_times(CLI::App& experiment) {
  auto options = std::make_shared<HtsStepTimesOptions>();
  auto* command = experiment.add_subcommand(
      "hts-step-times", "HTS-RL: speed-up by the variance of step times (Figure 4, left)");
  command->add_option("FILE", options->files, "Recorded step times, a file for each environment")
      ->required();
  command->add_option("--alpha", options->task.alpha, "Steps between two synchronisations")
      ->transform(whole_number(1, 10000))
      ->capture_default_str();
  command->add_option("--envs", options->task.envs, "Environments side by side")
      ->transform(whole_number(1, 1024))
      ->capture_default_str();
  command->add_option("--seconds", options->task.seconds, "Of each training")
      ->transform(real_number(0.2, 3600.0))
      ->capture_default_str();
  command->add_option("--out", options->out, "Folder of step_times.csv and hts-step-times.png")
      ->type_name("DIR")
      ->required();
  end_help(*command, {"tandem experiment hts-step-times pong.txt breakout.txt --out runs/times"},
           kHtsStepTimesFooter);
  command->callback([options] { run(*options); });
}

}  // namespace tandem
