// A point at which threads wait for each other, again and again.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <stop_token>

#include "tandem/sync/annotations.h"
#include "tandem/sync/mutex.h"

namespace tandem {

/// A barrier for a fixed number of threads; a stop wakes all that wait. Safe to use from as many
/// threads as it was made for.
class Rendezvous {
 public:
  /// At each meeting `together` runs once, in the last thread to arrive, while all others wait.
  Rendezvous(int threads, std::function<void()> together, std::stop_token stop);

  /// Waits for all the others. Throws Stopped once `stop` is requested. In the last thread it also
  /// throws the exceptions of `together`; the others then keep waiting until the stop.
  void meet();

 private:
  const int threads_;
  const std::function<void()> together_;
  const std::stop_token stop_;
  Mutex mutex_;
  std::condition_variable_any met_;
  int waiting_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::int64_t meetings_ TANDEM_GUARDED_BY(mutex_) = 0;
};

}  // namespace tandem
