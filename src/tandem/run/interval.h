// The reports of updates, and their means between two log lines.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tandem/algo/loss_stats.h"
#include "tandem/base/clock.h"
#include "tandem/base/histogram.h"
#include "tandem/env/vec_env.h"

namespace tandem {

/// A number that one system logs: the mean of `count` values with this sum. With a count of 0 it is
/// an amount, and the log shows its rate per second. Value type.
struct Measure {
  const char* key;   // in the logs: "impala/training_queue"
  double sum = 0;    // of the values, or the amount
  double count = 0;  // of the values; 0: an amount
};

/// The distribution of a quantity; the log shows its median as `key`_median and its 99th percentile
/// as `key`_p99. Value type.
struct Spread {
  const char* key;          // in the logs
  const Histogram* values;  // must outlive the report
};

/// A system's report of one update.
struct UpdateReport {
  std::int64_t steps = 0;                  // taken for this update
  LossStats loss = {};                     // sums over its samples
  double gradient_norm = 0;                // global, before clipping
  double learning_rate = 0;                // of this update
  std::span<const Episode> episodes = {};  // games finished since the last report
  TimeShares seconds = {};                 // thread-seconds since the last report
  std::span<const Measure> measures = {};  // the system's own measurements
  std::span<const Spread> spreads = {};    // the system's own spreads
  std::int64_t updates = 1;  // 0: a report of acting alone, where learning has its own reports
};

/// Sums of reports. Value type.
class Interval {
 public:
  /// Adds one report.
  void add(const UpdateReport& report);

  /// Steps of all environments in the interval.
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  /// Updates in the interval.
  [[nodiscard]] std::int64_t updates() const { return updates_; }

  /// Seconds since the interval began.
  [[nodiscard]] double seconds() const { return watch_.seconds(); }
  /// Steps over seconds.
  [[nodiscard]] double steps_per_second() const;
  /// The sums over the interval's samples.
  [[nodiscard]] const LossStats& loss() const { return loss_; }

  /// The scalars of a log line. Without an update it lacks the algorithm's mean measurements, the
  /// mean gradient norm and the last learning rate; without an episode that ended, it lacks the
  /// mean, least and greatest return and the mean length. It always has rates, the shares of time
  /// of PAAC's Figure 2, and the system's measurements.
  [[nodiscard]] nlohmann::ordered_json scalars(Metrics metrics, std::int64_t frames_per_step) const;

 private:
  struct Sum {
    double sum = 0;
    double count = 0;
  };

  Stopwatch watch_;
  std::int64_t steps_ = 0;
  std::int64_t updates_ = 0;
  LossStats loss_;
  double gradient_norm_ = 0;
  double learning_rate_ = 0;
  TimeShares time_;
  std::int64_t episodes_ = 0;
  double returns_ = 0;
  double least_return_ = 0;
  double most_return_ = 0;
  std::int64_t episode_steps_ = 0;
  std::vector<std::pair<std::string, Sum>> measures_;  // in the order of their first appearance
  std::vector<std::pair<std::string, Histogram>> spreads_;
};

}  // namespace tandem
