// A fixed team of threads for data-parallel loops.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>

#include "tandem/sync/annotations.h"
#include "tandem/sync/crew.h"
#include "tandem/sync/mutex.h"

namespace tandem {

/// Runs loops on `threads` threads, the caller's among them. Idle threads sleep. One caller at a
/// time, and no parallel_for inside a body.
class Workers {
 public:
  /// Starts all threads except the caller's; `threads` is at least 1.
  explicit Workers(int threads);
  ~Workers();

  /// The number of threads, including the caller's.
  [[nodiscard]] int threads() const { return threads_; }

  /// Calls body(index) for every index in [0, count); the next free thread takes the next index.
  /// Returns when all are done. After an exception no further index is started, and the exception
  /// of the lowest index is rethrown. Allocates nothing.
  void parallel_for(int count, const std::function<void(int index)>& body);

 private:
  void help();
  void drain() TANDEM_EXCLUDES(mutex_);

  const int threads_;
  Mutex mutex_;
  std::condition_variable_any work_;   // a loop has begun
  std::condition_variable_any ended_;  // the last helper has left the loop
  // The current loop. body_ and count_ are written under mutex_ while no helper is in the loop.
  const std::function<void(int)>* body_ = nullptr;
  int count_ = 0;
  std::atomic<int> next_ = 0;
  int helping_ TANDEM_GUARDED_BY(mutex_) = 0;  // helpers in the loop
  std::exception_ptr error_ TANDEM_GUARDED_BY(mutex_);
  int error_index_ TANDEM_GUARDED_BY(mutex_) = 0;
  Crew crew_;  // last, because its threads use the members above
};

}  // namespace tandem
