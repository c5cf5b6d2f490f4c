// Waiting that Ctrl-C ends.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace tandem::python {

/// Runs functions on a thread of its own while the caller waits, without the GIL, and lets Python
/// handle signals now and then. For environments in other processes, whose steps may take long or
/// hang; their thread computes nothing, so that the way through another thread costs little. One
/// caller at a time.
class Interruptible {
 public:
  Interruptible();
  /// Waits for the function that runs.
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  /// Runs the function and waits for it; rethrows its exception. Throws nanobind::python_error if a
  /// signal handler raises, and the function then goes on: all that it uses must stay valid until
  /// settle() returns. Needs the GIL. After refuse() it throws as well.
  void run(std::function<void()> function);

  /// Waits for a function that an exception of a signal handler has left running; returns what it
  /// threw. Needs the GIL.
  std::exception_ptr settle();

  /// Ends the wait of a run(), since the interpreter ends: its threads must not come back later.
  void refuse();
  [[nodiscard]] bool refused() const;
  /// Whether a function runs.
  [[nodiscard]] bool busy() const;

 private:
  void serve();
  /// Waits for a while; returns whether the function has ended.
  bool waited();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> function_;  // not empty: it is to run, or runs
  std::exception_ptr error_;
  bool ended_ = false;
  bool refused_ = false;
  std::thread thread_;  // last, because it uses the members above
};

/// Runs a function as Interruptible does. If a signal handler raises, the function goes on without
/// its caller, so it must own all that it uses.
void run_or_leave(std::function<void()> function);

}  // namespace tandem::python
