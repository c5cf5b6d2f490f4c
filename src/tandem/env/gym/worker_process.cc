#include "tandem/env/gym/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/base/shell_word.h"
#include "tandem/env/gym/milliseconds.h"

namespace tandem {
namespace {

// The worker's first descriptor. Copies of ours begin above all of them, so that placing one
// overwrites no other.
constexpr int kFirst = 3;
constexpr int kAbove = 16;

std::string message_of(int cause) {
  const bool too_many = cause == EMFILE || cause == ENFILE;
  return std::generic_category().message(cause) +
         (too_many ? "; raise the limit (ulimit -n), or use fewer environments or env.workers"
                   : "");
}

/// The child's inheritance: its descriptors, signals as they are by default, and a process group of
/// its own.
class ChildSettings {
 public:
  explicit ChildSettings(const std::array<int, 6>& given) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    // Numbers may coincide with those that the child shall have, so copies go in between.
    for (std::size_t i = 0; i < given.size(); ++i) {
      copies_[i] = Descriptor(fcntl(given[i], F_DUPFD_CLOEXEC, kAbove));
      if (copies_[i].get() < 0) cause_ = errno;
      posix_spawn_file_actions_adddup2(&actions_, copies_[i].get(), kFirst + static_cast<int>(i));
    }
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (fcntl(STDERR_FILENO, F_GETFD) < 0) {
      posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    posix_spawn_file_actions_adddup2(&actions_, STDERR_FILENO, STDOUT_FILENO);

    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_,
        static_cast<short>(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  }
  ~ChildSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  ChildSettings(const ChildSettings&) = delete;
  ChildSettings& operator=(const ChildSettings&) = delete;

  /// Why they could not be made; 0: they could.
  [[nodiscard]] int cause() const { return cause_; }
  [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }
  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  int cause_ = 0;
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
  std::array<Descriptor, 6> copies_;
};

/// The environment variables of this process and, unless the user says otherwise, two more things:
/// one thread for each library that would start as many as cores in each worker, and no search for
/// a sound card, whose complaints would fill the terminal.
std::vector<std::string> variables() {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) all.emplace_back(*variable);
  for (const std::string setting :
       {"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1", "NUMEXPR_NUM_THREADS=1",
        "VECLIB_MAXIMUM_THREADS=1", "SDL_AUDIODRIVER=dummy"}) {
    const auto name = setting.substr(0, setting.find('=') + 1);
    const auto named = [&](const std::string& one) { return one.starts_with(name); };
    if (std::ranges::none_of(all, named)) all.push_back(setting);
  }
  return all;
}

std::string signal_words(int signal) {
  constexpr std::array<std::pair<int, const char*>, 9> kNames{{{SIGABRT, "SIGABRT"},
                                                               {SIGBUS, "SIGBUS"},
                                                               {SIGFPE, "SIGFPE"},
                                                               {SIGHUP, "SIGHUP"},
                                                               {SIGILL, "SIGILL"},
                                                               {SIGINT, "SIGINT"},
                                                               {SIGKILL, "SIGKILL"},
                                                               {SIGSEGV, "SIGSEGV"},
                                                               {SIGTERM, "SIGTERM"}}};
  auto words = fmt::format("was killed by signal {}", signal);
  for (const auto& [number, name] : kNames) {
    if (number == signal) words += fmt::format(" ({})", name);
  }
  if (signal == SIGKILL) words += "; a lack of memory is a usual cause";
  if (signal == SIGSEGV || signal == SIGBUS || signal == SIGABRT) {
    words += "; its code in C, or a library of it, failed";
  }
  return words;
}

}  // namespace

WorkerProcess::WorkerProcess(const std::string& python, const std::string& title,
                             const Channels& channels) {
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw Error(fmt::format("cannot make a pipe to a worker process: {}", message_of(errno)));
  }
  const Descriptor read(ends[0]);
  life_ = Descriptor(ends[1]);
  start(python, title, channels, read.get());
}

void WorkerProcess::start(const std::string& python, const std::string& title,
                          const Channels& channels, int life) {
  const ChildSettings settings({channels.start, channels.memory, channels.requests,
                                channels.answers, channels.control, life});
  if (settings.cause() != 0) {
    throw Error(fmt::format("cannot start a worker process: {}", message_of(settings.cause())));
  }
  // The start file is descriptor 3; its code does the rest.
  const std::string program =
      "import json, os; start = json.loads(os.pread(3, os.fstat(3).st_size, 0)); "
      "exec(start['boot'])";
  std::vector<std::string> words = {python, "-u", "-c", program, title};
  auto environment = variables();
  const int cause =
      posix_spawnp(&id_, python.c_str(), settings.actions(), settings.attributes(),
                   argument_vector(words).data(), argument_vector(environment).data());
  if (cause != 0) {
    throw Error(fmt::format(
        "cannot start the Python interpreter {} for environments: {}. Name one that has gymnasium "
        "by env.python or $TANDEM_PYTHON",
        python, message_of(cause)));
  }
  parent_ = getpid();
  pidfd_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, id_, 0)));
  if (pidfd_.get() >= 0) return;
  const int failed = errno;
  end();
  throw Error(fmt::format("cannot watch a worker process: {}", message_of(failed)));
}

WorkerProcess::~WorkerProcess() {
  if (is_own()) end();
}

bool WorkerProcess::is_own() const { return parent_ == getpid(); }

bool WorkerProcess::wait_until(std::chrono::steady_clock::time_point deadline) {
  pollfd watched{.fd = pidfd_.get(), .events = POLLIN, .revents = 0};
  for (;;) {
    const int ready = poll(&watched, 1, milliseconds_until(deadline));
    if (ready > 0) return true;
    if (std::chrono::steady_clock::now() >= deadline) return false;
  }
}

std::string WorkerProcess::end() {
  if (std::exchange(reaped_, true)) return "has ended";
  // The process is not waited for yet, so its number, and that of its group, is still its own. If
  // it has ended already, its children are killed.
  int status = 0;
  siginfo_t seen{};
  const bool ended =
      waitid(P_PID, id_, &seen, WEXITED | WNOHANG | WNOWAIT) == 0 && seen.si_pid != 0;
  kill(-id_, SIGKILL);
  pid_t waited = -1;
  while ((waited = waitpid(id_, &status, 0)) < 0 && errno == EINTR) {
  }
  if (waited != id_) return "has ended";  // the program around this library waits for children
  if (!ended) return "was ended";
  if (WIFSIGNALED(status)) return signal_words(WTERMSIG(status));
  return fmt::format("ended by itself with code {}", WEXITSTATUS(status));
}

}  // namespace tandem
