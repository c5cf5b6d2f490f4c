// Evaluates the parameters of a run while it trains.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tandem/base/clock.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/evaluation_files.h"
#include "tandem/run/evaluation_record.h"
#include "tandem/run/evaluator_options.h"
#include "tandem/run/run_directory.h"
#include "tandem/sync/annotations.h"
#include "tandem/sync/crew.h"
#include "tandem/sync/mutex.h"
#include "tandem/sync/stop_requested.h"
#include "tandem/sync/throttle.h"

namespace tandem {

/// Plays games with snapshots of the parameters in a thread of its own, which rests so often that
/// the training keeps its speed. Keeps the results in evaluations.jsonl, and the snapshot with the
/// best mean return in the folder best. A newer snapshot replaces one that waits. An error in an
/// evaluation becomes one warning for the user; the training goes on, and so do later evaluations.
/// Any thread may call any function but end() and finish(), which belong to the owner.
class Evaluator {
 public:
  /// Starts the thread. `resumed_at` is the step from which the run resumes; `best` is the result
  /// of the snapshot in the folder best. Any thread may call `before_write`, before the best
  /// checkpoint is written. An exception that it throws is an error of the evaluation, and nothing
  /// is written. Throws Error when evaluations.jsonl cannot be written.
  Evaluator(
      EvaluatorOptions options, const RunPaths& paths, std::optional<std::int64_t> resumed_at,
      std::optional<EvaluationRecord> best, std::function<void()> before_write = [] {});

  /// Ends the thread after its current step of the games.
  ~Evaluator();
  /// Ends the evaluation that is under way. Nothing changes afterwards.
  void end();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// Whether the training, which has made so many steps, should offer() a snapshot: it has passed a
  /// multiple of `every` since the last one. The time from the first such answer to the offer is
  /// the price of a snapshot; the next one comes so late that the price stays below
  /// `collect_share`.
  [[nodiscard]] bool due(std::int64_t steps);

  /// Whether the parameters of this step have neither been evaluated nor offered.
  [[nodiscard]] bool lacks(std::int64_t step) const;

  /// Takes a snapshot of this step, without its pieces; `training_seconds` is for its record. Does
  /// not wait for games.
  void offer(Checkpoint snapshot, std::int64_t step, double training_seconds);

  /// The results since the last call, in the order of their steps.
  std::vector<EvaluationRecord> take_finished();

  /// Whether take_finished() has any results. Takes no lock.
  [[nodiscard]] bool has_finished() const { return has_finished_.load(std::memory_order_relaxed); }

  /// The result of the snapshot in the folder best; empty if there is none.
  [[nodiscard]] std::optional<EvaluationRecord> best() const;

  /// Ends the thread. Then evaluates the snapshot that it was playing and the one that waits, in
  /// the calling thread and at full speed. Returns early once a stop is requested, and tells `show`
  /// the step and the number of ended games after each step of the games. Returns whether both were
  /// evaluated.
  bool finish(const StopRequested& stop_requested,
              const std::function<void(std::int64_t step, int ended)>& show);

 private:
  struct Snapshot {
    Checkpoint checkpoint;
    std::int64_t step = 0;
    double training_seconds = 0;
  };
  using SnapshotPtr = std::shared_ptr<const Snapshot>;

  [[noreturn]] void work();
  SnapshotPtr next();
  void rest(Throttle& throttle);
  void evaluate(const Snapshot& snapshot, int threads,
                const std::function<void(int ended)>& after_step);
  void keep(const Snapshot& snapshot, const EvaluationRecord& record);
  void warn_once(std::int64_t step, const std::string& problem);
  [[nodiscard]] std::int64_t multiple_after(std::int64_t step) const {
    return (step / options_.every + 1) * options_.every;
  }

  const EvaluatorOptions options_;
  const RunPaths paths_;
  const std::function<void()> before_write_;
  // The thread uses the next two, and finish() does when the thread has ended.
  EvaluationLog log_;
  bool warned_ = false;

  std::atomic<std::int64_t> next_step_;     // at which an evaluation is due
  std::atomic<bool> has_finished_ = false;  // whether finished_ has any
  mutable Mutex mutex_;
  std::condition_variable_any offered_;
  SnapshotPtr waiting_ TANDEM_GUARDED_BY(mutex_);             // or null
  SnapshotPtr playing_ TANDEM_GUARDED_BY(mutex_);             // or null
  std::int64_t last_step_ TANDEM_GUARDED_BY(mutex_);          // of all that were offered
  std::optional<Stopwatch> asked_ TANDEM_GUARDED_BY(mutex_);  // since due() said so
  Stopwatch since_offer_ TANDEM_GUARDED_BY(mutex_);
  double pause_seconds_ TANDEM_GUARDED_BY(mutex_) = 0;  // from an offer until the next may be due
  std::vector<EvaluationRecord> finished_ TANDEM_GUARDED_BY(mutex_);
  std::optional<EvaluationRecord> best_ TANDEM_GUARDED_BY(mutex_);
  Crew crew_;  // its thread uses all other members
};

}  // namespace tandem
