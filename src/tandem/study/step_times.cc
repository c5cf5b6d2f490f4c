#include "tandem/study/step_times.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tandem/base/clock.h"
#include "tandem/env/vec_env.h"
#include "tandem/study/random_actions.h"
#include "tandem/sync/crew.h"
#include "tandem/trainer/measured.h"

namespace tandem {
namespace {

constexpr std::uint64_t kSeed = 1;

StepTimes measure_one(const EnvFactory& make_env, int index, double seconds) {
  VecEnv env(make_env, {.first = index, .seed = kSeed});
  std::vector<std::byte> observations(static_cast<std::size_t>(env.size()) *
                                      env.spec().observation_bytes());
  RandomActions actions(env.spec(), kSeed);
  env.reset(observations);
  const auto step = [&] {
    Stopwatch watch;
    env.step(actions.next(), observations);
    const double taken = watch.seconds();
    env.take_episodes();
    return taken;
  };
  const Stopwatch watch;
  while (watch.seconds() < 0.1 * seconds) step();  // warms up the caches and the CPU's clock

  // Welford's sums, which avoid the loss of digits by cancellation.
  double mean = 0;
  double squares = 0;
  double count = 0;
  const double busy_before = thread_processor_seconds();
  const double before = watch.seconds();
  do {
    const double taken = step();
    count += 1;
    const double off = taken - mean;
    mean += off / count;
    squares += off * (taken - mean);
  } while (watch.seconds() < seconds);
  return {{mean, std::sqrt(squares / std::max(1.0, count - 1))},
          (thread_processor_seconds() - busy_before) / (watch.seconds() - before)};
}

}  // namespace

StepTimes measure_step_times(const EnvConfig& config, double seconds, int threads) {
  const auto make_env = measured(config, kSeed).factory(kSeed);
  std::vector<StepTimes> all(static_cast<std::size_t>(threads));
  Crew crew;
  crew.spawn("step_times", threads, [&](int rank) {
    all[static_cast<std::size_t>(rank)] = measure_one(make_env, rank, seconds);
  });
  crew.join();

  StepTimes mean;
  for (const auto& one : all) {
    mean.step.mean += one.step.mean / threads;
    mean.step.deviation += one.step.deviation / threads;
    mean.busy += one.busy / threads;
  }
  return mean;
}

}  // namespace tandem
