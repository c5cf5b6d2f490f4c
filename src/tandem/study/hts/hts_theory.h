// The formulas of HTS-RL's paper for run time and policy lag (section 4.2), and simulations of
// both.
#pragma once

#include <cstdint>
#include <span>

#include "tandem/base/random.h"

namespace tandem {

/// The system that the theory describes.
inline constexpr const char* kHts = "hts";

/// The time of an environment's step, in seconds. Value type.
struct StepTime {
  double mean = 0;
  double deviation = 0;  // equal to the mean: exponential times, as in the paper
};

/// n environments that step side by side, each on its own core or asleep, and wait for each other
/// every alpha steps. Value type.
struct Synchronisation {
  std::int64_t envs = 16;  // n
  std::int64_t alpha = 1;  // 1: A2C
  StepTime step;
  double actor_seconds = 0;  // c: the time of an action for one step
};

/// The expected time of one state by Claim 1, equation 7: E[T] / K. Sums of alpha step times are
/// assumed to be gamma distributed. The paper's step times are exponential; another spread gives a
/// gamma distribution of another shape. The claim holds in the limit of large n. For 16
/// environments it is within 5% if the shape alpha * (mean / deviation)^2 is at least 1, and 20%
/// low at 1/4. Pure.
double expected_seconds_per_state(const Synchronisation& what);

/// The steps per second of Claim 1. NaN where the claim gives more than without any waiting: few
/// environments whose times deviate far more than their mean are not in its limit. Pure.
[[nodiscard]] double claimed_rate(const Synchronisation& what);

/// The mean time of one state over `rounds` simulated rounds of alpha steps. Draws from `stream`
/// alone.
double simulated_seconds_per_state(const Synchronisation& what, int rounds, Stream& stream);

/// The same with step times in seconds that were recorded in one environment, in place of random
/// ones of what.step. Each environment begins with a random one of them and takes those that
/// follow, the first after the last. Draws from `stream` alone.
double replayed_seconds_per_state(const Synchronisation& what, std::span<const double> times,
                                  int rounds, Stream& stream);

/// Asynchronous actors that send their experience to a learner. Each sends at the rate lambda_0 and
/// the learner takes at the rate mu, both with exponential times. Value type.
struct AsynchronousLearning {
  std::int64_t actors = 16;    // n
  double actor_rate = 100;     // lambda_0, per second
  double learner_rate = 4000;  // mu, per second
};

/// The updates by which the learning policy is ahead of the policy that acted, by Claim 2:
/// E[L] = n rho_0 / (1 - n rho_0) with rho_0 = lambda_0 / mu. Infinite if the learner cannot keep
/// up. For HTS-RL it is 1 with any n. Pure.
double expected_latency(const AsynchronousLearning& what);

/// The mean length of a simulated queue, as `arrivals` arrivals find it. Draws from `stream` alone.
double simulated_latency(const AsynchronousLearning& what, int arrivals, Stream& stream);

}  // namespace tandem
