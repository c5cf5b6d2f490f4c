// Signals are handled between computations, not within them.
#pragma once

#include <nanobind/nanobind.h>
#include <pthread.h>

#include <chrono>
#include <csignal>

namespace tandem::python {

/// All signals but those of a thread's own faults, which must end the process: a blocked one would
/// end it without a word.
inline sigset_t all_but_faults() {
  sigset_t signals;
  sigfillset(&signals);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) {
    sigdelset(&signals, fault);
  }
  return signals;
}

/// Blocks the signals of the calling thread as long as it exists. Code of oneDNN for AVX2 and
/// AVX-512 does not survive a handler that runs on its thread's stack. Threads that start meanwhile
/// inherit the mask. Not thread-safe.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    const sigset_t signals = all_but_faults();
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  /// Lets Python handle the signals that have come, every 50 ms of frequent calls. Throws
  /// nanobind::python_error if a handler raises. Call it without the GIL.
  void handle_now_and_then() {
    constexpr std::chrono::milliseconds kPause{50};
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + kPause;
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, &before_, &blocked);
    pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
    const nanobind::gil_scoped_acquire with_gil;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  }

 private:
  sigset_t before_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace tandem::python
