// Ctrl-C, `kill` and the end of the terminal end a run with a checkpoint.
#pragma once

#include <atomic>
#include <csignal>
#include <thread>
#include <vector>

#include "tandem/sync/stop_requested.h"

namespace tandem {

/// While a StopSignals exists, the first SIGINT, SIGTERM or SIGHUP only sets a flag, which the
/// training polls, so that it can write a checkpoint. `nohup` keeps SIGHUP ignored. Another signal,
/// half a second later or more, ends the process at once; if the first one has not ended it within
/// three seconds, a line says this. (For a single request, `timeout` sends
/// one signal to the process and another to its group; the second one must not kill the process
/// while it saves.) Destruction restores the old handlers. At most one may exist at a time. Start
/// computing threads only after it, because they inherit its mask of signals. Any thread may call
/// requested().
///
/// A thread of its own waits for the signals, which are blocked in all others. Code of oneDNN for
/// AVX2 and AVX-512 does not survive a handler that runs on its thread's stack: one in a hundred
/// interrupted runs had a corrupted heap.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  [[nodiscard]] bool requested() const { return requested_.load(std::memory_order_relaxed); }

  /// A function that calls requested(). This object must outlive it.
  [[nodiscard]] StopRequested stop_requested() const {
    return [this] { return requested(); };
  }

 private:
  void watch();

  std::vector<int> signals_;
  sigset_t set_;  // of them
  std::vector<struct sigaction> actions_before_;
  sigset_t mask_before_;
  std::atomic<bool> requested_ = false;
  std::atomic<bool> ending_ = false;
  std::thread watcher_;
};

}  // namespace tandem
