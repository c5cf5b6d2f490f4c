#include "tandem/app/signals.h"

#include <pthread.h>

#include <optional>

#include "tandem/base/clock.h"

namespace tandem {
namespace {

constexpr double kOneRequestSeconds = 0.5;

constexpr std::array kSignals = {SIGINT, SIGTERM};

sigset_t set_of_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kSignals) sigaddset(&set, signal);
  return set;
}

}  // namespace

StopSignals::StopSignals() {
  // A background process may start with SIGINT ignored, but SIGINT must stop it, too.
  struct sigaction by_default = {};
  by_default.sa_handler = SIG_DFL;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &by_default, &actions_before_[i]);
  }
  const sigset_t set = set_of_signals();
  pthread_sigmask(SIG_BLOCK, &set, &mask_before_);  // new threads inherit the mask
  watcher_ = std::thread([this] { watch(); });
}

StopSignals::~StopSignals() {
  ending_ = true;
  pthread_kill(watcher_.native_handle(), kSignals.front());
  watcher_.join();
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &actions_before_[i], nullptr);
  }
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void StopSignals::watch() {
  const sigset_t set = set_of_signals();
  std::optional<Stopwatch> since_first;
  while (true) {
    int signal = 0;
    sigwait(&set, &signal);
    if (ending_) return;
    requested_ = true;
    if (!since_first) since_first.emplace();
    if (since_first->seconds() < kOneRequestSeconds) continue;
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    std::raise(signal);  // the default action ends the process
  }
}

}  // namespace tandem
