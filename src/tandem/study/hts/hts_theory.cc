#include "tandem/study/hts/hts_theory.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <queue>
#include <vector>

#include "tandem/base/gamma_distribution.h"

namespace tandem {
namespace {

/// The distribution of the time of alpha steps.
struct Gamma {
  double shape;
  double rate;
};

Gamma of_alpha_steps(const Synchronisation& what) {
  const double variance = what.step.deviation * what.step.deviation;
  return {static_cast<double>(what.alpha) * what.step.mean * what.step.mean / variance,
          what.step.mean / variance};
}

double exponential(double rate, Stream& stream) { return -std::log1p(-stream.uniform()) / rate; }

}  // namespace

double expected_seconds_per_state(const Synchronisation& what) {
  const auto n = static_cast<double>(what.envs);
  const double computing = what.actor_seconds / n;
  // No environment waits for another, so the mean step time is all that counts.
  if (what.envs == 1 || what.step.deviation == 0) return what.step.mean / n + computing;
  const auto [shape, rate] = of_alpha_steps(what);
  const double longest = gamma_quantile(shape, rate, 1 - 1 / n);  // F^-1(1 - 1/n)
  const double round = std::numbers::egamma / rate * (1 + (shape - 1) / (rate * longest)) + longest;
  return round / (n * static_cast<double>(what.alpha)) + computing;
}

double claimed_rate(const Synchronisation& what) {
  const double seconds = expected_seconds_per_state(what);
  const double without_waiting =
      (what.step.mean + what.actor_seconds) / static_cast<double>(what.envs);
  constexpr double kRounding = 1e-9;
  const bool holds = seconds >= without_waiting * (1 - kRounding);
  return holds ? 1 / seconds : std::numeric_limits<double>::quiet_NaN();
}

double simulated_seconds_per_state(const Synchronisation& what, int rounds, Stream& stream) {
  const auto [shape, rate] = of_alpha_steps(what);
  const auto n = static_cast<double>(what.envs);
  double sum = 0;
  for (int round = 0; round < rounds; ++round) {
    // The slowest environment's time is the quantile at the largest of n uniform draws.
    float chance = 0;
    for (std::int64_t env = 0; env < what.envs; ++env) chance = std::max(chance, stream.uniform());
    sum += what.step.deviation > 0 ? gamma_quantile(shape, rate, chance)
                                   : static_cast<double>(what.alpha) * what.step.mean;
  }
  return sum / rounds / (n * static_cast<double>(what.alpha)) + what.actor_seconds / n;
}

double replayed_seconds_per_state(const Synchronisation& what, std::span<const double> times,
                                  int rounds, Stream& stream) {
  std::vector<std::size_t> next;
  for (std::int64_t env = 0; env < what.envs; ++env) {
    next.push_back(stream.below(static_cast<std::uint32_t>(times.size())));
  }
  double sum = 0;
  for (int round = 0; round < rounds; ++round) {
    double longest = 0;
    for (auto& step : next) {
      double own = 0;
      for (std::int64_t i = 0; i < what.alpha; ++i) {
        own += times[step];
        step = step + 1 == times.size() ? 0 : step + 1;
      }
      longest = std::max(longest, own);
    }
    sum += longest;
  }
  const auto n = static_cast<double>(what.envs);
  return sum / rounds / (n * static_cast<double>(what.alpha)) + what.actor_seconds / n;
}

double expected_latency(const AsynchronousLearning& what) {
  const double load = static_cast<double>(what.actors) * what.actor_rate / what.learner_rate;
  return load < 1 ? load / (1 - load) : std::numeric_limits<double>::infinity();
}

double simulated_latency(const AsynchronousLearning& what, int arrivals, Stream& stream) {
  const double rate = static_cast<double>(what.actors) * what.actor_rate;
  double now = 0;
  double free = 0;             // when the learner will have finished all arrivals so far
  std::queue<double> leaving;  // when each queued arrival will leave
  double found = 0;
  for (int i = 0; i < arrivals; ++i) {
    now += exponential(rate, stream);
    while (!leaving.empty() && leaving.front() <= now) leaving.pop();
    found += static_cast<double>(leaving.size());
    free = std::max(free, now) + exponential(what.learner_rate, stream);
    leaving.push(free);
  }
  return found / arrivals;
}

}  // namespace tandem
