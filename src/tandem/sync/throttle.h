// Background work that takes only a small share of the machine.
#pragma once

#include <functional>

namespace tandem {

/// Says how long a thread of background work must rest, so that its work stays below a share of the
/// time that passes. Unused time gives no credit: a thread that had nothing to do for an hour works
/// no faster afterwards. Not thread-safe.
class Throttle {
 public:
  /// A clock, in seconds since any moment.
  using Clock = std::function<double()>;

  /// `share` is in seconds of work for each second that passes; it may be above 1, and then no rest
  /// is ever needed. `work` measures the thread's work, such as its processor time; `time` measures
  /// the time that passes.
  Throttle(double share, Clock work, Clock time);

  /// Begins a unit of work.
  void begin();

  /// The seconds to rest after the unit of work; 0 if it took long enough. Call begin() after the
  /// rest.
  [[nodiscard]] double rest() const;

 private:
  double share_;
  Clock work_;
  Clock time_;
  double work_begun_;
  double time_begun_;
};

/// Gives the calling thread the lowest priority where the operating system has priorities of
/// threads (Linux); elsewhere it does nothing. Threads and processes that this thread starts
/// inherit the priority. A thread cannot raise it again without special rights.
void take_lowest_priority() noexcept;

}  // namespace tandem
