// The program `tandem`: reads the command line and runs one subcommand.
//
// Exit codes: 0 success; 2 an error that the user can mend (printed once, on stderr); 1 a bug.

#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "tandem/app/commands.h"
#include "tandem/app/help.h"
#include "tandem/app/process_settings.h"
#include "tandem/app/version.h"
#include "tandem/base/cpu.h"
#include "tandem/base/error.h"
#include "tandem/base/mendable.h"
#include "tandem/base/nearest.h"
#include "tandem/base/places.h"

namespace {

constexpr int kBug = 1;
constexpr int kUserError = 2;

// fmt::print() throws where stderr cannot be written, and an exception in the handler of another
// one would end the process without its exit code.
void complain(const std::string& text) { std::fputs(text.c_str(), stderr); }

int refuse(const std::string& message) {
  complain(fmt::format("tandem: error: {}\n", message));
  return kUserError;
}

// Offers the nearest command for an unknown one. CLI11 would only say that a command is required.
void check_command(const CLI::App& program, const std::string& word) {
  std::vector<std::string> names;
  for (const auto* command : program.get_subcommands({})) names.push_back(command->get_name());
  if (word.starts_with('-') || std::ranges::find(names, word) != names.end()) return;
  const auto near = tandem::nearest(word, names);
  throw tandem::Error(fmt::format("there is no command {};{} `tandem --help` lists all", word,
                                  near.empty() ? "" : " did you mean " + near + "?"));
}

// Refuses empty words, which mostly come from shell variables that are not set. An option with an
// empty value would count as missing, but `--resume "$RUN"` must not begin a new run.
void check_words(std::span<char*> words) {
  const auto blank = [](std::string_view word) {
    return word.empty() || (word.starts_with("--") && word.find('=') == word.size() - 1);
  };
  const auto found = std::ranges::find_if(words, blank);
  if (found == words.end()) return;
  const std::string option = **found != '\0' || found == words.begin() ? *found : *(found - 1);
  throw tandem::Error(
      fmt::format("'{}' is given an empty value: fill it in or leave it out", option));
}

/// Adds all commands, under headings that name the user's purpose.
void add_commands(CLI::App& program) {
  using Add = void (*)(CLI::App&);
  const auto add = [&](const char* heading, std::initializer_list<Add> commands) {
    for (const auto command : commands) {
      command(program);
      program.get_subcommands({}).back()->group(heading);
    }
  };
  add("Train agents",
      {tandem::add_train, tandem::add_cluster, tandem::add_systems, tandem::add_envs,
       tandem::add_presets, tandem::add_keys, tandem::add_verify, tandem::add_install});
  add("Watch agents and environments",
      {tandem::add_eval, tandem::add_starts, tandem::add_record, tandem::add_export,
       tandem::add_plot, tandem::add_compare, tandem::add_track, tandem::add_rollout});
  add("Measure speed", {tandem::add_bench, tandem::add_predict, tandem::add_advise});
  add("Experiment with many runs",
      {tandem::add_sweep, tandem::add_speedup, tandem::add_experiment, tandem::add_reproduce});
}

/// Says that the output could not be written, unless its reader has had enough (`head`).
int lose_output(int cause) {
  if (cause == EPIPE) return 0;
  return refuse(
      fmt::format("cannot write the output: {}; is the disk full?", std::strerror(cause)));
}

/// Writes the rest of stdout's buffer.
int finish_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return 0;
  return lose_output(errno != 0 ? errno : EIO);
}

// CLI11 throws exceptions for --help and --version, too; they have the exit code 0.
int finish_parsing(const CLI::App& program, const CLI::ParseError& end) {
  if (end.get_exit_code() == 0) {
    program.exit(end);  // by std::cout, which writes to stdout
    return finish_output();
  }
  return refuse(std::string(end.what()) + "; `tandem --help` and `tandem COMMAND --help` say more");
}

int report_bug(const std::string& what) {
  complain(fmt::format(
      "tandem: internal error: {}\n"
      "This is a bug. Please report it with the command line and this version: tandem {}\n",
      what, TANDEM_VERSION));
  return kBug;
}

}  // namespace

int main(int argc, char** argv) {
  tandem::open_closed_streams();
  // Ctrl-C also ends a `tee` or `head` that reads the output. The loss of a reader must not end a
  // run before its checkpoint.
  std::signal(SIGPIPE, SIG_IGN);
  tandem::keep_freed_memory();
  // Log messages go to stderr, like the progress line; stdout is left to results.
  spdlog::set_default_logger(spdlog::stderr_color_mt(
      "tandem",
      tandem::is_set("NO_COLOR") ? spdlog::color_mode::never : spdlog::color_mode::automatic));
  spdlog::set_pattern("tandem: %^%l%$: %v");
  CLI::App program{"Trains reinforcement-learning agents with published parallel systems.",
                   "tandem"};
  program.set_version_flag("--version", tandem::version_text,
                           "Print the version and what networks are computed with");
  program.require_subcommand(1);
  add_commands(program);
  // In a narrow column, a command and its description fit one line. The commands' own help keeps
  // the default width, which their options need.
  constexpr std::size_t kCommandColumn = 14;
  const auto narrow = std::make_shared<CLI::Formatter>();
  narrow->column_width(kCommandColumn);
  program.formatter(narrow);
  tandem::end_help(
      program,
      {"tandem train paac --env cartpole --run-dir runs/cartpole",
       "tandem eval runs/cartpole --episodes 30"},
      "`tandem COMMAND --help` says more of one. TANDEM_CPU=portable, avx2, avx512 or amx\n"
      "in the environment masks wider instructions of the CPU.");

  try {
    check_words(std::span(argv + 1, argv + argc));
    if (argc > 1) check_command(program, argv[1]);
    static_cast<void>(tandem::best_simd());  // reports a bad $TANDEM_CPU before the command runs
    program.parse(argc, argv);
    return finish_output();
  } catch (const CLI::ParseError& end) {
    return finish_parsing(program, end);
  } catch (const tandem::Error& error) {
    return refuse(error.what());
  } catch (const std::exception& error) {
    const auto* of_output = dynamic_cast<const std::system_error*>(&error);
    if (of_output != nullptr && std::ferror(stdout) != 0) {
      return lose_output(of_output->code().value());
    }
    const auto words = tandem::mendable(error);
    return words ? refuse(*words) : report_bug(error.what());
  } catch (...) {
    return report_bug("an exception of unknown type");
  }
}
