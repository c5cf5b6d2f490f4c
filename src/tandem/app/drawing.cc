#include "tandem/app/drawing.h"

#include <fmt/format.h>
#include <signal.h>  // sigset_t of POSIX
#include <spawn.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tandem/app/python_program.h"
#include "tandem/base/error.h"
#include "tandem/base/places.h"
#include "tandem/base/shell_word.h"

namespace tandem {

namespace fs = std::filesystem;

namespace {

/// The settings of a process that Ctrl-C ends, even if this one waits for signals in a thread.
class NoSignalBlocked {
 public:
  NoSignalBlocked() {
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  ~NoSignalBlocked() { posix_spawnattr_destroy(&attributes_); }
  NoSignalBlocked(const NoSignalBlocked&) = delete;
  NoSignalBlocked& operator=(const NoSignalBlocked&) = delete;

  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

/// Runs the script. A failure only gives a warning: the results are there without `lost`, and
/// `rest` says where.
void draw_or_warn(const std::string& name, const std::vector<std::string>& words,
                  const std::string& lost, const std::string& rest) {
  try {
    if (run_drawing(name, words) == 0) return;
    spdlog::warn("there is no {}; {}", lost, rest);
  } catch (const Error& error) {
    spdlog::warn("there is no {}: {}; {}", lost, error.what(), rest);
  }
}

}  // namespace

fs::path find_script(const std::string& name) {
  for (const auto* place : {"../tools", "../share/tandem", "scripts"}) {
    auto file = (own_folder() / place / (name + ".py")).lexically_normal();
    if (fs::exists(file)) return file;
  }
  throw Error(fmt::format("cannot find {}.py, which draws the curves: it belongs into {}", name,
                          (own_folder() / "../tools").lexically_normal().string()));
}

int run_drawing(const std::string& name, const std::vector<std::string>& words) {
  std::vector<std::string> all = {find_python("draws the curves", "matplotlib"), find_script(name)};
  all.insert(all.end(), words.begin(), words.end());
  const auto arguments = argument_vector(all);
  pid_t child = 0;
  int status = 0;
  const NoSignalBlocked settings;
  int error =
      posix_spawnp(&child, arguments[0], nullptr, settings.attributes(), arguments.data(), environ);
  while (error == 0 && waitpid(child, &status, 0) < 0) error = errno == EINTR ? 0 : errno;
  if (error == 0) return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  throw Error(
      fmt::format("cannot start {}: {}; TANDEM_PYTHON must name a Python that has "
                  "matplotlib",
                  all.front(), std::strerror(error)));
}

void draw_comparison(const std::string& out, const std::vector<std::string>& options,
                     const std::vector<std::string>& runs, const std::string& rest) {
  std::vector<std::string> words = {"--out", out, "--at-end"};
  words.insert(words.end(), options.begin(), options.end());
  words.emplace_back("--");
  words.insert(words.end(), runs.begin(), runs.end());
  draw_or_warn("compare", words, "comparison", rest);
}

void draw_sweep(const fs::path& folder) {
  draw_or_warn("plot_sweep", {folder.string()}, "picture",
               fmt::format("`tandem plot {}` draws it later", folder.string()));
}

void draw_experiment(const std::string& name, const fs::path& folder) {
  draw_or_warn(name, {folder.string()}, "picture",
               fmt::format("the tables in {} have the results", folder.string()));
}

}  // namespace tandem
