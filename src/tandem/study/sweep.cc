#include "tandem/study/sweep.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "tandem/base/clock.h"
#include "tandem/base/error.h"
#include "tandem/io/files.h"
#include "tandem/io/text_table.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/progress.h"
#include "tandem/run/run_control.h"
#include "tandem/run/run_directory.h"
#include "tandem/run/training_run.h"
#include "tandem/sync/annotations.h"
#include "tandem/sync/crew.h"
#include "tandem/sync/mutex.h"
#include "tandem/sync/stop_requested.h"
#include "tandem/trainer/assembly.h"
#include "tandem/trainer/config_request.h"
#include "tandem/trainer/measured.h"
#include "tandem/trainer/training.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

/// Hands runs to the threads that train them. take() and ended() are safe to use from many threads.
class Queue {
 public:
  Queue(const SweepPlan& plan, const SweepFolder& folder, int jobs)
      : plan_(plan), folder_(folder), jobs_(jobs) {
    for (const auto& run : plan.runs) {
      if (!folder.outcome(run)) waiting_.push_back(&run);
    }
    folder.write_csv(plan);
    if (waiting_.empty() || waiting_.size() == plan.runs.size()) return;
    spdlog::info("{} of {} runs have ended before", plan.runs.size() - waiting_.size(),
                 plan.runs.size());
  }

  /// The next run to train; null when none is left.
  const PlannedRun* take() {
    const Lock lock(mutex_);
    if (next_ == waiting_.size()) return nullptr;
    const auto* run = waiting_[next_++];
    spdlog::info("{}{}: {}", name(*run), time_left(), run->title(plan_.keys));
    return run;
  }

  void ended(const PlannedRun& run, const RunOutcome& outcome) {
    const Lock lock(mutex_);
    ++ended_;
    folder_.write_csv(plan_);
    if (outcome.why == "diverged") {
      spdlog::warn("{} diverged: {}", name(run), outcome.message);
    } else if (jobs_ > 1) {  // a single job has a progress line, which says so
      const auto score = outcome.score ? plain_number(*outcome.score, 4) : "no game ended";
      spdlog::info("{} ended: score {}", name(run), score);
    }
  }

  [[nodiscard]] std::string name(const PlannedRun& run) const {
    return fmt::format("run {} of {}", run.number, plan_.runs.size());
  }

 private:
  [[nodiscard]] std::string time_left() const TANDEM_REQUIRES(mutex_) {
    if (ended_ == 0) return "";
    const auto left = static_cast<double>(waiting_.size() - ended_);
    return fmt::format(" ({} left)",
                       short_duration(watch_.seconds() * left / static_cast<double>(ended_)));
  }

  const SweepPlan& plan_;
  const SweepFolder& folder_;
  const int jobs_;
  const Stopwatch watch_;
  std::vector<const PlannedRun*> waiting_;
  Mutex mutex_;
  std::size_t next_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::size_t ended_ TANDEM_GUARDED_BY(mutex_) = 0;
};

/// The config of a run that has begun, with its measurements of random play: where games draw
/// random numbers of their own, new ones would differ.
Config config_of_begun(const Config& planned, const fs::path& folder) {
  auto config = load_resumed(RunPaths{folder}.config(), {});
  config.run = planned.run;
  return config;
}

/// Whether a run has anything that a user may want to keep.
bool has_results(const RunPaths& run) {
  std::error_code missing;
  const auto bytes = fs::file_size(run.metrics(), missing);
  return has_checkpoint(run.best()) || (!missing && bytes > 0);
}

/// Clears the folder of a run that was killed before its first checkpoint, and so begins anew. Its
/// results move away.
void make_room(const SweepPaths& sweep, int number) {
  const auto folder = sweep.run(number);
  if (!has_results({folder})) {
    fs::remove_all(folder);
    return;
  }
  const auto kept = sweep.before(number);
  make_folder(kept.parent_path());
  fs::rename(folder, kept);
  spdlog::warn(
      "{} has no checkpoint to go on from, so the run begins anew; its earlier files are now in {}",
      folder.string(), kept.string());
}

/// Trains one run, from its checkpoint if it has one.
void train_one(const Config& planned, const SweepFolder& sweep, int number, TrainingView view) {
  sweep.require_in_place();
  const auto folder = sweep.paths().run(number);
  const bool resume = has_checkpoint(RunPaths{folder}.checkpoints());
  if (!resume) make_room(sweep.paths(), number);
  try {
    Training training(resume ? config_of_begun(planned, folder) : planned, folder, resume,
                      std::make_shared<RunControl>(), view.stop_requested);
    training.run(std::move(view));
  } catch (const Stopped&) {
    // While it measured its environment: the run has not begun.
  } catch (const Diverged&) {
    // The run's result records the error, and the sweep goes on.
  }
}

/// Divides the default thread budget among the runs that train at the same time.
Config with_share_of_threads(Config config, int jobs) {
  if (jobs > 1 && config.run.threads == 0) {
    config.run.threads = std::max(1, config.run.thread_budget() / jobs);
  }
  return config;
}

}  // namespace

void check_combinations(const SweepPlan& plan) {
  for (const auto& run : std::span(plan.runs).first(static_cast<std::size_t>(plan.combinations))) {
    try {
      // Each run measures the scale of its observations itself.
      const Assembly parts(without_scale(run.config));
    } catch (const Error& error) {
      throw Error(fmt::format("with {}: {}", run.title(plan.keys), error.what()));
    }
  }
}

bool run_sweep(const SweepPlan& plan, const SweepFolder& folder, int jobs,
               const StopRequested& stop_requested) {
  Queue queue(plan, folder, jobs);
  Crew crew;
  const auto stop = [&, token = crew.stop_token()] {
    return stop_requested() || token.stop_requested();
  };
  crew.spawn("sweep", jobs, [&](int) {
    while (!stop()) {
      const auto* run = queue.take();
      if (run == nullptr) return;
      train_one(with_share_of_threads(run->config, jobs), folder, run->number,
                {.stop_requested = stop,
                 .progress = jobs == 1 ? stderr : nullptr,
                 .label = queue.name(*run)});
      if (const auto outcome = folder.outcome(*run)) queue.ended(*run, *outcome);
    }
  });
  crew.join();
  return std::ranges::all_of(plan.runs,
                             [&](const auto& run) { return folder.outcome(run).has_value(); });
}

}  // namespace tandem
