// Events at a given rate.
#pragma once

#include "tandem/base/clock.h"
#include "tandem/sync/annotations.h"
#include "tandem/sync/mutex.h"

namespace tandem {

/// Spreads events over time at a rate that may change. Events that come late are made up for, up to
/// those of one second. Safe to use from many threads.
class Pace {
 public:
  /// Infinity: no limit; 0: no events.
  explicit Pace(double per_second) : per_second_(per_second) {}

  /// Changes the rate from now on; nothing of the time before is made up for.
  void set(double per_second);

  /// Counts `events` if they are due. Otherwise sleeps until they are, but for some milliseconds at
  /// most, and counts nothing. Returns whether they were due.
  bool take(double events);

 private:
  double seconds_until(double events);

  Mutex mutex_;
  double per_second_ TANDEM_GUARDED_BY(mutex_);
  double due_ TANDEM_GUARDED_BY(mutex_) = 0;
  Stopwatch since_last_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem
