// What HTS-RL's paper says of run time and of the policy's latency (section 4.2), and simulations
// of both.
#pragma once

#include <cstdint>

#include "tandem/base/random.h"

namespace tandem {

/// The system that the theory is of.
inline constexpr const char* kHts = "hts";

/// How long an environment takes for a step, in seconds. Value type.
struct StepTime {
  double mean = 0;
  double deviation =
      0;  // as large as the mean: the exponential distribution of the paper's figures
};

/// n environments that step side by side, each on a core of its own or asleep, and wait for each
/// other every alpha steps. Value type.
struct Synchronisation {
  std::int64_t envs = 16;  // n
  std::int64_t alpha = 1;  // 1: A2C
  StepTime step;
  double actor_seconds = 0;  // c, of each step
};

/// Claim 1, equation 7, for one state: E[T] / K. Sums of alpha step times are taken for gamma
/// distributed; the paper's step times are exponential, and those of another spread make a gamma
/// distribution of another shape. What the claim approaches as n grows: of 16 environments it is
/// within 5% where alpha * (mean / deviation)^2, the shape, is at least 1, and 20% low at 1/4.
/// Pure.
double expected_seconds_per_state(const Synchronisation& what);

/// The mean of `rounds` simulated rounds of alpha steps. Draws from `stream` alone.
double simulated_seconds_per_state(const Synchronisation& what, int rounds, Stream& stream);

/// Asynchronous actors that send what they did to a learner, each at the rate lambda_0, the learner
/// taking at the rate mu, both by exponential times. Value type.
struct AsynchronousLearning {
  std::int64_t actors = 16;    // n
  double actor_rate = 100;     // lambda_0, a second
  double learner_rate = 4000;  // mu, a second
};

/// Claim 2: E[L] = n rho_0 / (1 - n rho_0), rho_0 = lambda_0 / mu: how many updates the policy that
/// learns is ahead of the one that acted. Infinite where the learner cannot keep up. HTS-RL's is 1,
/// whatever n. Pure.
double expected_latency(const AsynchronousLearning& what);

/// The mean over `arrivals` of a simulated queue. Draws from `stream` alone.
double simulated_latency(const AsynchronousLearning& what, int arrivals, Stream& stream);

}  // namespace tandem
