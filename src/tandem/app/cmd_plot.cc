// `tandem plot`: hands over to tools/plot.py, since Python draws better.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tandem/app/commands.h"
#include "tandem/base/error.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> runs;
  std::string out = "curves.png";
  std::string by = "steps";
};

fs::path program_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

/// In the source tree beside the folder of the build, or installed.
fs::path find_script() {
  for (const auto* place : {"../tools/plot.py", "../share/tandem/plot.py"}) {
    auto file = (program_folder() / place).lexically_normal();
    if (fs::exists(file)) return file;
  }
  throw Error(fmt::format("cannot find plot.py, which draws the curves: it belongs into {}",
                          (program_folder() / "../tools").lexically_normal().string()));
}

/// The environment that set-up made has all that plot.py needs.
fs::path find_python() {
  if (const char* chosen = std::getenv("TANDEM_PYTHON")) return chosen;
  for (const auto& folder : {program_folder() / "..", fs::current_path()}) {
    auto file = (folder / ".venv/bin/python").lexically_normal();
    if (fs::exists(file)) return file;
  }
  throw Error(
      "cannot find the Python that draws the curves (.venv): run `make setup`, or name a Python "
      "that has matplotlib with TANDEM_PYTHON=/path/to/python");
}

[[noreturn]] void plot(const Options& options) {
  const auto python = find_python();
  std::vector<std::string> words = {python, find_script(), "--out", options.out,
                                    "--by", options.by,    "--"};
  words.insert(words.end(), options.runs.begin(), options.runs.end());
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(python.c_str(), arguments.data());
  throw Error(
      fmt::format("cannot start {}: {}; TANDEM_PYTHON must name a Python that has "
                  "matplotlib",
                  python.string(), std::strerror(errno)));
}

}  // namespace

void add_plot(CLI::App& program) {
  auto* command = program.add_subcommand(
      "plot", "Draw the returns of runs against steps and against wall-clock time, as PNG");
  const auto options = std::make_shared<Options>();
  command->add_option("RUN", options->runs, "folders of runs; those of one config are one curve")
      ->required();
  command->add_option("--out", options->out, "the picture to write")->capture_default_str();
  command->add_option("--by", options->by, "steps or frames")
      ->check(CLI::IsMember({"steps", "frames"}))
      ->capture_default_str();
  command->callback([options] { plot(*options); });
}

}  // namespace tandem
