#include "tandem/study/training_rate.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include "tandem/base/clock.h"
#include "tandem/base/error.h"
#include "tandem/io/temporary_folder.h"
#include "tandem/run/run_directory.h"
#include "tandem/run/training_run.h"
#include "tandem/study/parts_to_measure.h"
#include "tandem/sync/annotations.h"
#include "tandem/sync/mutex.h"

namespace tandem {
namespace {

constexpr double kWarmUpShare = 0.2;  // share of the seconds
constexpr double kEndless = 1e9;

/// Measures the rates of a run, and tells when its time is up. Safe to use from many threads.
class Meter {
 public:
  explicit Meter(double seconds) : seconds_(seconds) {}

  /// Call it after each update, with the run's steps so far. The first call with steps above 0
  /// starts the clock. Returns whether the time is up.
  bool time_is_up(std::int64_t steps) {
    if (steps == 0) return false;
    const Lock lock(mutex_);
    if (!begun_) watch_.lap();
    const Sample now{begun_ ? watch_.seconds() : 0, process_processor_seconds(), steps};
    if (!begun_ || now.seconds < kWarmUpShare * seconds_) warm_ = now;
    begun_ = true;
    last_ = now;
    return now.seconds >= seconds_;
  }

  // Both rates count from the end of the warm-up.
  [[nodiscard]] double steps_per_second() const {
    const Lock lock(mutex_);
    return static_cast<double>(last_.steps - warm_.steps) / seconds();
  }
  [[nodiscard]] double busy_cores() const {
    const Lock lock(mutex_);
    return (last_.processor_seconds - warm_.processor_seconds) / seconds();
  }

 private:
  struct Sample {
    double seconds = 0;
    double processor_seconds = 0;
    std::int64_t steps = 0;
  };

  [[nodiscard]] double seconds() const TANDEM_REQUIRES(mutex_) {
    return last_.seconds - warm_.seconds;
  }

  const double seconds_;
  mutable Mutex mutex_;
  bool begun_ TANDEM_GUARDED_BY(mutex_) = false;
  Stopwatch watch_ TANDEM_GUARDED_BY(mutex_);
  Sample warm_ TANDEM_GUARDED_BY(mutex_);
  Sample last_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace

TrainingRate measure_training(const Config& config, double seconds,
                              const StopRequested& stop_requested, const AfterTraining& afterwards,
                              const EnvFactory& instead) {
  Config endless = config;
  endless.run.steps = 1'000'000'000'000'000;  // the most that a config may have
  endless.run.until_return = RunConfig{}.until_return;
  const TemporaryFolder folder;
  Assembly assembly = parts_to_measure(endless, stop_requested);
  Meter meter(seconds);
  std::optional<TrainingRun> run;
  auto options = assembly.run_options();
  options.log_seconds = kEndless;  // one line, at the end
  options.checkpoint_minutes = kEndless;
  options.progress = nullptr;
  options.stop_requested = [&] { return meter.time_is_up(run->steps()) || stop_requested(); };
  run.emplace(std::move(options), RunDirectory::create(folder.path()));

  TrainingContext context = assembly.context(*run);
  if (instead) context.actor.make_env = instead;
  endless.system->train(context);
  if (stop_requested()) throw Interrupted();
  std::ifstream metrics(run->paths().metrics());
  TrainingRate rate{.steps_per_second = meter.steps_per_second(),
                    .busy_cores = meter.busy_cores(),
                    .means = nlohmann::ordered_json::parse(metrics)};
  if (afterwards) afterwards(context, rate);
  return rate;
}

}  // namespace tandem
