#include "tandem/app/step_times.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tandem/app/random_actions.h"
#include "tandem/base/clock.h"
#include "tandem/env/vec_env.h"

namespace tandem {
StepTimes measure_step_times(const EnvConfig& config, double seconds) {
  constexpr std::uint64_t kSeed = 1;
  VecEnv env(config.factory(kSeed), {.seed = kSeed});
  std::vector<std::byte> observation(env.spec().observation_bytes());
  RandomActions actions(env.spec(), kSeed);
  env.reset(observation);
  const auto step = [&] {
    Stopwatch watch;
    env.step(std::array{actions.next()}, observation);
    const double taken = watch.seconds();
    env.take_episodes();
    return taken;
  };
  const Stopwatch watch;
  while (watch.seconds() < 0.1 * seconds) step();  // caches warm, clock up

  // Welford's sums, which lose no digits.
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

}  // namespace tandem
