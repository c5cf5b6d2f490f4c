// `tandem reproduce`: runs the Python program that makes the papers' tables and figures again.
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tandem/app/commands.h"
#include "tandem/app/drawing.h"
#include "tandem/app/help.h"
#include "tandem/app/number_check.h"
#include "tandem/app/python_program.h"
#include "tandem/base/error.h"
#include "tandem/base/places.h"

namespace tandem {
namespace {

constexpr const char* kReproduceFooter = R"(
Every table and figure of the five papers (a3c, ga3c, paac, hts without its
supplement, apex) is a plan file of configs/studies. With --budget 1h, 8h or 2.5h a part
of its runs shares that many hours of training; with paper, every run trains as long as
in the paper. The table has the paper's numbers beside ours, the picture the paper's
form. The same command goes on after a stop or a kill. Without ITEM it makes all items of the paper, one by one.)";

struct ReproduceOptions {
  std::string paper;
  std::string item;
  std::string budget = "1h";
  std::string out = "runs/reproduce";
  std::string plans;
  int jobs = 1;
  bool list = false;
  bool times = false;
};

/// The folder of the plan files: in the source tree beside the build folder, in the installation,
/// or in a wheel. Throws Error if it is in none of them.
std::filesystem::path find_plans() {
  for (const auto* place : {"../configs/studies", "../share/tandem/configs/studies", "studies"}) {
    auto folder = (own_folder() / place).lexically_normal();
    if (std::filesystem::is_directory(folder)) return folder;
  }
  throw Error("cannot find the plans of the papers' items: their place is " +
              (own_folder() / "../configs/studies").lexically_normal().string());
}

/// The user's folder of plans, or that of the papers'.
std::filesystem::path plans_of(const ReproduceOptions& options) {
  if (options.plans.empty()) return find_plans();
  if (std::filesystem::is_directory(options.plans)) return options.plans;
  throw Error("--plans " + options.plans + ": there is no such folder");
}

/// Becomes the Python program.
[[noreturn]] void reproduce(const ReproduceOptions& options) {
  if (!options.list && options.paper.empty()) {
    throw Error("which PAPER to reproduce? `tandem reproduce --list` lists all items");
  }
  if (options.times && !options.list) throw Error("--times belongs to --list");
  std::vector<std::string> words = {find_python("draws the pictures", "matplotlib"),
                                    find_python_code("tandem_reproduce"),
                                    "--program=" + own_program().string(),
                                    "--plans=" + plans_of(options).string(),
                                    "--drawing=" + find_script("plot_item").string(),
                                    "--out=" + options.out,
                                    "--budget=" + options.budget,
                                    "--jobs=" + std::to_string(options.jobs)};
  if (options.list) words.emplace_back("--list");
  if (options.times) words.emplace_back("--times");
  words.emplace_back("--");
  if (!options.paper.empty()) words.push_back(options.paper);
  if (!options.item.empty()) words.push_back(options.item);
  become_python(std::move(words));
}

}  // namespace

void add_reproduce(CLI::App& program) {
  const auto options = std::make_shared<ReproduceOptions>();
  auto* command = program.add_subcommand("reproduce", "Make a table or figure of a paper again");
  command->add_option("PAPER", options->paper, "a3c, ga3c, paac, hts or apex");
  command->add_option("ITEM", options->item, "table-1, figure-3, ... (default: all)");
  command->add_option("--budget", options->budget, "Hours of training in all: 1h, 2.5h or paper")
      ->capture_default_str();
  command->add_flag("--list", options->list,
                    "List all items, the paper's budgets, and what is there already");
  command->add_flag("--times", options->times,
                    "With --list: measure how long each item takes on this machine");
  command
      ->add_option(
          "--jobs", options->jobs,
          "Runs at the same time. They share the cores where run.threads is 0; other numbers "
          "of threads are those of each run")
      ->type_name("J")
      ->transform(whole_number(1, 256))
      ->capture_default_str();
  command->add_option("--plans", options->plans, "Folder of other plans, as PAPER/ITEM.toml")
      ->type_name("DIR");
  command->add_option("--out", options->out, "Folder of the results")
      ->type_name("DIR")
      ->capture_default_str();
  end_help(*command, {"tandem reproduce --list", "tandem reproduce paac table-1 --budget 8h"},
           kReproduceFooter);
  command->callback([options] { reproduce(*options); });
}

}  // namespace tandem
