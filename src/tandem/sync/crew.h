// Threads that work together: the first error in any of them ends the work of all.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tandem/sync/annotations.h"
#include "tandem/sync/mutex.h"

namespace tandem {

/// Thrown by every blocking call of a stopped crew. Not an error: it only unwinds the thread.
struct Stopped {};

/// A set of named threads. The first exception other than Stopped in any of them stops the crew:
/// every thread that blocks on something built on stop_token() wakes and throws Stopped. The
/// destructor stops and joins, so all objects that the threads use must outlive the crew. Any
/// thread may call stop() and stop_token(); the other members are for the owner alone.
class Crew {
 public:
  Crew() = default;
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Starts `count` threads, named "role-rank" (the system keeps 15 characters). They run
  /// body(rank) for the ranks from `first` on.
  void spawn(const std::string& role, int count, const std::function<void(int rank)>& body,
             int first = 0);

  /// Asks all threads to end.
  void stop() noexcept { stop_.request_stop(); }

  /// Waits until all threads have ended; rethrows the first error, once.
  void join();

  /// Asks all threads to end, and waits until they have.
  void end() noexcept;

  /// The stop token. stop() or the first error requests a stop on it, which ends blocking calls.
  [[nodiscard]] std::stop_token stop_token() const noexcept { return stop_.get_token(); }

 private:
  void run(const std::function<void(int)>& body, int rank) noexcept;
  void join_threads();

  std::stop_source stop_;
  std::vector<std::thread> threads_;
  Mutex mutex_;
  std::exception_ptr error_ TANDEM_GUARDED_BY(mutex_);
};

/// Stops the crew if an exception destroys it. Declared after a lock, it does so before the lock
/// opens, so the next holder of the lock knows of the failure.
class StopOnFailure {
 public:
  /// The crew must outlive it.
  explicit StopOnFailure(Crew& crew) : crew_(crew) {}
  ~StopOnFailure();
  StopOnFailure(const StopOnFailure&) = delete;
  StopOnFailure& operator=(const StopOnFailure&) = delete;

 private:
  Crew& crew_;
  const int before_ = std::uncaught_exceptions();
};

/// Blocks until ready() holds; throws Stopped once `stop` is requested, ready or not. `lock` is
/// held while ready() runs and at the return. The compiler cannot see that inside a lambda, so a
/// lambda that reads guarded members declares TANDEM_REQUIRES.
template <class Ready>
void wait_until(std::condition_variable_any& changed, WaitLock& lock, const std::stop_token& stop,
                Ready ready) {
  changed.wait(lock, stop, std::move(ready));
  if (stop.stop_requested()) throw Stopped();
}

}  // namespace tandem
