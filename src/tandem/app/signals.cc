#include "tandem/app/signals.h"

#include <pthread.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <optional>

#include "tandem/base/clock.h"

namespace tandem {
namespace {

constexpr double kOneRequestSeconds = 0.5;
// After this time a line tells how to end at once: a user's own environment may hang.
constexpr timespec kPatience{.tv_sec = 3, .tv_nsec = 0};

bool is_ignored(int signal) {
  struct sigaction now = {};
  sigaction(signal, nullptr, &now);
  return now.sa_handler == SIG_IGN;
}

}  // namespace

StopSignals::StopSignals() : signals_({SIGINT, SIGTERM}) {
  if (!is_ignored(SIGHUP)) signals_.push_back(SIGHUP);
  // A background process may start with SIGINT ignored, but SIGINT must stop it, too.
  struct sigaction by_default = {};
  by_default.sa_handler = SIG_DFL;
  sigemptyset(&set_);
  for (const int signal : signals_) {
    sigaction(signal, &by_default, &actions_before_.emplace_back());
    sigaddset(&set_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &set_, &mask_before_);  // new threads inherit the mask
  watcher_ = std::thread([this] { watch(); });
}

StopSignals::~StopSignals() {
  ending_ = true;
  pthread_kill(watcher_.native_handle(), signals_.front());
  watcher_.join();
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    sigaction(signals_[i], &actions_before_[i], nullptr);
  }
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void StopSignals::watch() {
  std::optional<Stopwatch> since_first;
  bool told = false;
  while (true) {
    const int signal = since_first && !told ? sigtimedwait(&set_, nullptr, &kPatience)
                                            : sigwaitinfo(&set_, nullptr);
    if (ending_) return;
    if (signal < 0) {
      if (errno != EAGAIN) continue;  // a debugger has interrupted the wait
      if (isatty(STDERR_FILENO) != 0) std::fputc('\n', stderr);  // below the line of progress
      spdlog::info(
          "the stop waits for work that has begun; Ctrl-C again ends at once and saves nothing");
      told = true;
      continue;
    }
    requested_ = true;
    if (!since_first) since_first.emplace();
    if (since_first->seconds() < kOneRequestSeconds) continue;
    pthread_sigmask(SIG_UNBLOCK, &set_, nullptr);
    std::raise(signal);  // the default action ends the process
  }
}

}  // namespace tandem
