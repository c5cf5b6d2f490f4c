#include "tandem/study/step_times.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "tandem/base/clock.h"
#include "tandem/base/error.h"
#include "tandem/env/vec_env.h"
#include "tandem/study/parts_to_measure.h"
#include "tandem/study/random_actions.h"
#include "tandem/sync/crew.h"

namespace tandem {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kMostRecorded = 1'000'000;

/// Mean and deviation of times that come one by one, by Welford's sums, which avoid the loss of
/// digits by cancellation.
class TimeSums {
 public:
  void add(double time) {
    count_ += 1;
    const double off = time - mean_;
    mean_ += off / count_;
    squares_ += off * (time - mean_);
  }

  [[nodiscard]] StepTime result() const {
    return {mean_, std::sqrt(squares_ / std::max(1.0, count_ - 1))};
  }

 private:
  double count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

StepTimes measure_one(const EnvFactory& make_env, int index, double seconds,
                      const StopRequested& stop_requested) {
  VecEnv env(make_env, {.first = index, .seed = kSeed});
  std::vector<std::byte> observations(static_cast<std::size_t>(env.size()) *
                                      env.spec().observation_bytes());
  RandomActions actions(env.spec(), kSeed);
  env.reset(observations);
  const auto step = [&] {
    if (stop_requested()) throw Interrupted();
    Stopwatch watch;
    env.step(actions.next(), observations);
    const double taken = watch.seconds();
    env.take_episodes();
    return taken;
  };
  const Stopwatch watch;
  while (watch.seconds() < 0.1 * seconds) step();  // warms up the caches and the CPU's clock

  TimeSums sums;
  std::vector<double> each;
  const double busy_before = thread_processor_seconds();
  const double before = watch.seconds();
  do {
    const double taken = step();
    sums.add(taken);
    if (each.size() < kMostRecorded) each.push_back(taken);
  } while (watch.seconds() < seconds);
  const double busy = (thread_processor_seconds() - busy_before) / (watch.seconds() - before);
  return {.step = sums.result(), .busy = busy, .each = std::move(each)};
}

}  // namespace

StepTime step_time_of(std::span<const double> times) {
  TimeSums sums;
  for (const double time : times) sums.add(time);
  return sums.result();
}

StepTimes measure_step_times(const EnvConfig& config, double seconds, int threads,
                             const StopRequested& stop_requested) {
  const auto make_env = env_to_measure(config, kSeed, stop_requested).factory(kSeed);
  std::vector<StepTimes> all(static_cast<std::size_t>(threads));
  Crew crew;
  crew.spawn("step_times", threads, [&](int rank) {
    all[static_cast<std::size_t>(rank)] = measure_one(make_env, rank, seconds, stop_requested);
  });
  crew.join();

  StepTimes mean;
  for (const auto& one : all) {
    mean.step.mean += one.step.mean / threads;
    mean.step.deviation += one.step.deviation / threads;
    mean.busy += one.busy / threads;
    mean.each.insert(mean.each.end(), one.each.begin(), one.each.end());
  }
  return mean;
}

}  // namespace tandem
