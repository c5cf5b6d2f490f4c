// One training run as its system sees it: report each update, ask whether to go on.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <filesystem>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tandem/base/clock.h"
#include "tandem/base/error.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/fingerprints.h"
#include "tandem/run/interval.h"
#include "tandem/run/metrics.h"
#include "tandem/run/progress.h"
#include "tandem/run/run_config.h"
#include "tandem/run/run_directory.h"

namespace tandem {

/// What a run is called, how long it is, and when it reports. Value type.
struct TrainingRunOptions {
  std::string system;  // "paac", for result.json as the next two
  std::string env;     // "atari:Pong"
  std::uint64_t seed = 0;
  std::string config = {};                // resolved, as TOML; kept in each checkpoint
  std::int64_t steps_budget = 0;          // of the whole run, resumes included
  double until_return = kNoReturn;        // as run.until_return
  std::int64_t frames_per_step = 1;       // emulated frames in a step
  Metrics metrics = kActorCriticMetrics;  // what the algorithm measures
  double log_seconds = 10;                // between two lines of metrics.jsonl
  double checkpoint_minutes = 5;
  std::function<bool()> stop_requested = [] { return false; };  // as StopSignals::requested
  bool repeatable = false;       // the same config gives the same bits: updates get fingerprints
  std::FILE* progress = stderr;  // where progress goes; must outlive the run
  std::string label = {};        // before the progress: "run 3 of 50"
  /// Gets each line of metrics.jsonl, with its "step", as it is logged: by one of the system's
  /// threads, which waits for it, and under the run's lock, so it must not call the run.
  std::function<void(const nlohmann::ordered_json& line)> on_log = {};
};

/// Counts, logs, keeps the progress line and writes checkpoints and result.json. Safe to use from
/// many threads; a call takes a lock, so call once for each update and not for each step.
class TrainingRun {
 public:
  /// Goes on from `resume` when it is not null.
  TrainingRun(TrainingRunOptions options, RunDirectory directory,
              const FoundCheckpoint* resume = nullptr);

  /// The budget is used up, the return to train for was reached, or a stop was asked for.
  [[nodiscard]] bool done() const;

  /// Steps so far, those before a resume included.
  [[nodiscard]] std::int64_t steps() const { return steps_.load(std::memory_order_relaxed); }

  /// Counts an update, and logs when it is time. Throws Diverged when what it measured or its
  /// gradient norm is not finite: the run can only go on from a checkpoint.
  void record(const UpdateReport& report);

  [[nodiscard]] bool checkpoint_due() const;

  /// Adds the run's own counters and writes the checkpoint; nothing when there is one of this step
  /// already. Others may record() while it is written. Throws Error when it cannot be written,
  /// Diverged when a tensor holds a value that is not finite.
  void save(Checkpoint& checkpoint);

  /// The two halves of save(), for a system whose threads go on between them. stamp() adds the
  /// counters as they are now and returns the step that write() is to be told; none where there is
  /// a checkpoint of this step already.
  std::optional<std::int64_t> stamp(Checkpoint& checkpoint);
  void write(const Checkpoint& checkpoint, std::int64_t step);

  /// Ends a run that did what it was asked to: logs the rest and writes result.json.
  void finish(const std::string& parameters_sha256);

  /// Ends a run after an error: writes result.json if it can be written.
  void fail(const std::exception& error) noexcept;

  /// "return", "budget" or "signal": what ends a run that is done(), in this order.
  [[nodiscard]] std::string why_done() const;

  [[nodiscard]] const RunPaths& paths() const { return directory_.paths(); }

 private:
  /// When the mean return of the last 100 games was first high enough.
  struct Reached {
    double mean_return = 0;  // that was to be reached
    std::int64_t steps = 0;
    double seconds = 0;
  };

  void restore(const Checkpoint& checkpoint);
  void look_at_return();
  [[nodiscard]] nlohmann::ordered_json reached_json() const;
  void require_finite(const UpdateReport& report) const;
  [[nodiscard]] std::string last_checkpoint_kept() const;
  void log();
  void show_progress();
  [[nodiscard]] double seconds() const { return seconds_before_ + watch_.seconds(); }
  [[nodiscard]] double steps_per_second() const;
  [[nodiscard]] std::optional<double> mean_return() const;
  void write_result(const std::string& why_ended, const nlohmann::json& parameters_sha256);

  const TrainingRunOptions options_;
  RunDirectory directory_;
  MetricsLog metrics_;
  std::optional<FingerprintLog> fingerprints_;
  std::optional<ProgressPrinter> printer_;

  std::mutex writing_;        // one checkpoint at a time; taken before mutex_
  mutable std::mutex mutex_;  // for all below but the atomics
  std::atomic<std::int64_t> steps_ = 0;
  double seconds_before_ = 0;  // a resume
  Stopwatch watch_;
  std::int64_t updates_ = 0;
  std::int64_t episodes_ = 0;
  std::deque<double> last_returns_;  // of the last 100 episodes
  std::atomic<bool> reached_return_ = false;
  Reached reached_;  // valid when reached_return_
  Interval interval_;
  double recent_rate_ = 0;  // of the last logged interval, steps per second
  LossStats recent_loss_;   // likewise
  // For the rate of the whole run. It leaves out the first update after each start, and so the
  // set-up before it.
  std::optional<Stopwatch> since_update_;
  std::int64_t timed_steps_ = 0;
  double timed_seconds_ = 0;
  Stopwatch since_progress_;
  Stopwatch since_checkpoint_;
  std::optional<std::int64_t> saved_step_;
  std::filesystem::path last_checkpoint_;
};

}  // namespace tandem
