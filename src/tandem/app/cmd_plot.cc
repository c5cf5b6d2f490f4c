// `tandem plot`: runs a Python script that draws the curves.
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tandem/app/commands.h"
#include "tandem/app/drawing.h"
#include "tandem/app/help.h"
#include "tandem/base/error.h"
#include "tandem/study/sweep_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

struct PlotOptions {
  std::vector<std::string> runs;
  std::string out;
  std::string by = "steps";
};

bool is_sweep(const PlotOptions& options) {
  return options.runs.size() == 1 && fs::exists(SweepPaths{options.runs.front()}.description());
}

int plot(const PlotOptions& options) {
  if (is_sweep(options)) {
    if (options.by != "steps") throw Error("--by is for runs: a sweep's picture shows its values");
    std::vector<std::string> words = {options.runs.front()};
    if (!options.out.empty()) words.insert(words.end(), {"--out", options.out});
    return run_drawing("plot_sweep", words);
  }
  std::vector<std::string> words = {"--out", options.out.empty() ? "curves.png" : options.out,
                                    "--by", options.by, "--"};
  words.insert(words.end(), options.runs.begin(), options.runs.end());
  return run_drawing("plot", words);
}

}  // namespace

void add_plot(CLI::App& program) {
  auto* command = program.add_subcommand(
      "plot", "Draw the returns of runs against steps and against hours, as PNG");
  const auto options = std::make_shared<PlotOptions>();
  command
      ->add_option(
          "RUN", options->runs,
          "Folders of runs, of which those with one config make one curve; or the folder of "
          "a sweep")
      ->required();
  command->add_option(
      "--out", options->out,
      "The picture to write (default: curves.png, or sweep.png in a sweep's folder)");
  command->add_option("--by", options->by, "steps or frames")
      ->check(CLI::IsMember({"steps", "frames"}))
      ->capture_default_str();
  end_help(*command, {"tandem plot runs/pong",
                      "tandem plot runs/pong runs/breakout --by frames --out runs/both.png"});
  // The script has already printed its error.
  command->callback([options] {
    if (const int code = plot(*options); code != 0) std::exit(code);
  });
}

}  // namespace tandem
