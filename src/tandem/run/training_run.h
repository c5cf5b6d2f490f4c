// A training run as its system sees it: the system reports each update and asks whether to go on.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tandem/base/clock.h"
#include "tandem/base/error.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/evaluation_record.h"
#include "tandem/run/evaluator_options.h"
#include "tandem/run/fingerprints.h"
#include "tandem/run/interval.h"
#include "tandem/run/metrics.h"
#include "tandem/run/progress.h"
#include "tandem/run/run_config.h"
#include "tandem/run/run_control.h"
#include "tandem/run/run_directory.h"
#include "tandem/run/target_return.h"
#include "tandem/sync/annotations.h"
#include "tandem/sync/mutex.h"

namespace tandem {

class Evaluator;

/// The options of a run: its names, its length, its logs and its checkpoints. Value type.
struct TrainingRunOptions {
  std::string system;               // "paac"; result.json has it and the next two members
  std::string env;                  // "atari:Pong"
  std::uint64_t seed = 0;           // run.seed
  std::string config = {};          // resolved, as TOML; kept in each checkpoint
  std::int64_t steps_budget = 0;    // of the whole run, resumes included
  double until_return = kNoReturn;  // as run.until_return
  /// The number of last evaluations whose mean ends the run at until_return; 0: the mean of the
  /// last 100 training games does. Evaluations need `evaluation`.
  std::int64_t until_evaluations = 0;
  std::int64_t frames_per_step = 1;       // emulated frames in a step
  Metrics metrics = kActorCriticMetrics;  // the measurements of the algorithm
  double log_seconds = 10;                // between two lines of metrics.jsonl
  double checkpoint_minutes = 5;          // between two checkpoints
  std::function<bool()> stop_requested = [] { return false; };  // as StopSignals::requested
  bool repeatable = false;       // the same config gives the same bits, so updates get fingerprints
  std::FILE* progress = stderr;  // the stream for progress; must outlive the run
  std::string label = {};        // before the progress: "run 3 of 50"
  /// Receives each line of metrics.jsonl when it is logged, with the key "step" in place of
  /// "steps". A thread that reports calls it and waits for it while it holds the run's lock, so it
  /// must not call the run.
  std::function<void(const nlohmann::ordered_json& line)> on_log = {};
  std::optional<EvaluatorOptions> evaluation = {};  // empty: no evaluations during the training
  /// Receives each line of evaluations.jsonl, when the next line of metrics.jsonl is logged or the
  /// run ends; with return_of_evaluations sooner. As for on_log, a thread may wait for it.
  std::function<void(const nlohmann::ordered_json& line)> on_evaluation = {};
  /// Other threads look at the run by it, and ask for checkpoints; never null. The run does not
  /// look at its stop_requested().
  std::shared_ptr<RunControl> control = std::make_shared<RunControl>();
};

/// Counts, logs, shows the progress line, writes checkpoints and result.json, and hands snapshots
/// to the run's Evaluator. Safe to use from many threads. record() takes a lock, so call it once
/// for each update, not for each step.
class TrainingRun {
 public:
  /// Resumes from `resume` if it is not null.
  TrainingRun(TrainingRunOptions options, RunDirectory directory,
              const FoundCheckpoint* resume = nullptr);
  ~TrainingRun();
  TrainingRun(const TrainingRun&) = delete;
  TrainingRun& operator=(const TrainingRun&) = delete;

  /// Whether the budget is used up, the target return was reached, or a stop was requested.
  [[nodiscard]] bool done() const;

  /// Steps so far, including those before a resume.
  [[nodiscard]] std::int64_t steps() const { return steps_.load(std::memory_order_relaxed); }

  /// Counts an update, and writes a log line when one is due. Throws Diverged when a measurement or
  /// the gradient norm is not finite: the run can then only resume from a checkpoint.
  void record(const UpdateReport& report);

  /// Whether the system should save(): checkpoint_minutes have passed since the last checkpoint,
  /// another thread asks for one, or an evaluation needs the parameters.
  [[nodiscard]] bool checkpoint_due() const;

  /// Whether a checkpoint that is due will be written. If not, an evaluation alone needs the
  /// parameters, and actors' states are of no use.
  [[nodiscard]] bool write_due() const;

  /// Adds the run's own counters and writes the checkpoint; does nothing if there is one of this
  /// step and update already. If only an evaluation needs it, it moves to the evaluator and is not
  /// written, so every system must save once more when the run is done(). Other threads may
  /// record() while it writes. Throws Error when it cannot be written or the run's folder was moved
  /// or removed, Diverged when a tensor holds a value that is not finite.
  void save(Checkpoint& checkpoint);

  /// The first half of save(), for a system whose threads go on before the second half. Adds the
  /// present counters and returns the step for write(); empty if nothing is to be written. A
  /// checkpoint that lacks a part of the state may not be written: then only an evaluation gets it,
  /// and a checkpoint that is due stays due.
  std::optional<std::int64_t> stamp(Checkpoint& checkpoint, bool may_write = true);
  /// The second half of save(): writes the checkpoint that stamp() has completed.
  void write(const Checkpoint& checkpoint, std::int64_t step);

  /// Ends a run without an error: writes the last log line, evaluates the last parameters unless a
  /// signal ended the run, and writes result.json.
  void finish(const std::string& parameters_sha256);

  /// Ends a run after an error: writes result.json if it can be written.
  void fail(const std::exception& error) noexcept;

  /// The reason why a run is done(): "return", "budget" or "signal". If several hold, it is the
  /// first of them in this order. A signal that cut the last evaluation short counts before the
  /// budget, so that a resumed run makes up for it.
  [[nodiscard]] std::string why_done() const;

  /// Where the run's files lie.
  [[nodiscard]] const RunPaths& paths() const { return directory_.paths(); }

 private:
  void restore(const Checkpoint& checkpoint) TANDEM_REQUIRES(mutex_);
  /// Whether the run is done, but not by a signal.
  [[nodiscard]] bool complete() const {
    return target_return_.reached() || steps() >= options_.steps_budget;
  }
  [[nodiscard]] bool minutes_passed() const TANDEM_REQUIRES(mutex_) {
    return since_checkpoint_.seconds() >= 60 * options_.checkpoint_minutes;
  }
  /// Whether a checkpoint is to be written; the last one, at the end, always is.
  [[nodiscard]] bool must_write(bool ends) const TANDEM_REQUIRES(mutex_) {
    return ends || minutes_passed() || options_.control->asked();
  }
  [[nodiscard]] bool needs_evaluation(bool ends) const;
  void begin_evaluations(std::optional<std::int64_t> resumed_at) TANDEM_REQUIRES(mutex_);
  bool evaluate_last();
  void add_evaluations() TANDEM_REQUIRES(mutex_);
  [[nodiscard]] std::optional<EvaluationRecord> best() const;
  [[nodiscard]] nlohmann::ordered_json best_json() const;
  void add_fingerprint(const UpdateReport& report) TANDEM_REQUIRES(mutex_);
  void look_at_training_games() TANDEM_REQUIRES(mutex_);
  void look_at(const EvaluationRecord& record) TANDEM_REQUIRES(mutex_);
  void log() TANDEM_REQUIRES(mutex_);
  void show_progress() TANDEM_REQUIRES(mutex_);
  [[nodiscard]] double seconds() const TANDEM_REQUIRES(mutex_) {
    return seconds_before_ + watch_.seconds();
  }
  [[nodiscard]] double steps_per_second() const TANDEM_REQUIRES(mutex_);
  [[nodiscard]] std::optional<double> mean_return() const TANDEM_REQUIRES(mutex_);
  [[nodiscard]] nlohmann::ordered_json result(const std::string& why_ended,
                                              const nlohmann::json& parameters_sha256) const
      TANDEM_REQUIRES(mutex_);

  const TrainingRunOptions options_;
  RunDirectory directory_;
  MetricsLog metrics_ TANDEM_GUARDED_BY(mutex_);
  std::optional<FingerprintLog> fingerprints_ TANDEM_GUARDED_BY(mutex_);
  std::optional<ProgressPrinter> printer_ TANDEM_GUARDED_BY(mutex_);

  Mutex writing_;  // held while a checkpoint is written; locked before mutex_
  mutable Mutex mutex_;
  std::atomic<std::int64_t> steps_ = 0;
  double seconds_before_ TANDEM_GUARDED_BY(mutex_) = 0;  // seconds before a resume
  Stopwatch watch_ TANDEM_GUARDED_BY(mutex_);
  std::int64_t updates_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::int64_t episodes_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::deque<double> last_returns_ TANDEM_GUARDED_BY(mutex_);      // of the last 100 episodes
  std::deque<double> last_evaluations_ TANDEM_GUARDED_BY(mutex_);  // means of the awaited ones
  TargetReturn target_return_;  // only its reached() is called without mutex_
  Interval interval_ TANDEM_GUARDED_BY(mutex_);
  // The next two describe the last logged interval.
  double recent_rate_ TANDEM_GUARDED_BY(mutex_) = 0;  // steps per second
  LossStats recent_loss_ TANDEM_GUARDED_BY(mutex_);
  // The rate of the whole run is timed_steps_ / timed_seconds_. It leaves out the first update
  // after each start, and with it the set-up.
  std::optional<Stopwatch> since_update_ TANDEM_GUARDED_BY(mutex_);
  std::int64_t timed_steps_ TANDEM_GUARDED_BY(mutex_) = 0;
  double timed_seconds_ TANDEM_GUARDED_BY(mutex_) = 0;
  Stopwatch since_progress_ TANDEM_GUARDED_BY(mutex_);
  Stopwatch since_checkpoint_ TANDEM_GUARDED_BY(mutex_);
  std::optional<std::int64_t> saved_step_ TANDEM_GUARDED_BY(mutex_);
  std::int64_t saved_updates_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::filesystem::path last_checkpoint_ TANDEM_GUARDED_BY(mutex_);
  std::optional<EvaluationRecord> best_before_;  // of earlier parts of the run; constant
  std::unique_ptr<Evaluator> evaluator_;         // null if the run has no evaluations; constant
  bool lacks_evaluation_ = false;  // since a stop cut the last one short; finish() alone writes it
  RunControl::Request stamped_ TANDEM_GUARDED_BY(mutex_) = 0;  // the next write() answers it
};

}  // namespace tandem
