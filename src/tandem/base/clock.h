// Wall-clock measurement.
#pragma once

#include <chrono>
#include <ctime>

namespace tandem {

/// Measures the seconds since its construction or the last lap(). Value type, not thread-safe.
class Stopwatch {
 public:
  /// The seconds since the lap began; does not end the lap.
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

  /// Returns the seconds since the lap began, and starts the next lap.
  double lap() {
    const auto now = Clock::now();
    const double passed = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return passed;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// The time of one of the system's clocks, in seconds.
inline double seconds_of_clock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The processor time of the calling thread, in seconds.
inline double thread_processor_seconds() { return seconds_of_clock(CLOCK_THREAD_CPUTIME_ID); }

/// The processor time of all threads of this process, in seconds.
inline double process_processor_seconds() { return seconds_of_clock(CLOCK_PROCESS_CPUTIME_ID); }

/// How threads spend their time, in thread-seconds, divided as in PAAC's Figure 2.
struct TimeShares {
  double stepping = 0;   // environments: emulation and observations
  double inferring = 0;  // forward passes for acting and bootstrapping, sampling of actions
  double learning = 0;   // gradients and updates
  double waiting = 0;    // for other threads

  /// Adds the shares of `other` one by one.
  TimeShares& operator+=(const TimeShares& other) {
    stepping += other.stepping;
    inferring += other.inferring;
    learning += other.learning;
    waiting += other.waiting;
    return *this;
  }
  /// The sum of the shares.
  [[nodiscard]] double total() const { return stepping + inferring + learning + waiting; }
};

}  // namespace tandem
