// Trainings on a cluster within this process whose messages have any content.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "tandem/base/clock.h"
#include "tandem/base/error.h"
#include "tests/support/counted_env.h"
#include "tests/support/local_cluster.h"
#include "tests/support/scenario.h"

namespace tandem {

/// Seconds of fuzzing: $TANDEM_FUZZ_SECONDS, or a few.
inline double fuzz_seconds() {
  const char* given = std::getenv("TANDEM_FUZZ_SECONDS");
  return given == nullptr ? 3 : std::atof(given);
}

/// Gives each actor that ended a successor, until it is stopped.
inline void replace_actors(
    LocalCluster& cluster, int actors, const std::stop_token& stop,
    const std::function<std::shared_ptr<ClusterActor>(int rank, std::uint64_t incarnation)>& make) {
  for (std::uint64_t incarnation = 2; !stop.stop_requested(); ++incarnation) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    for (int rank = 0; rank < actors; ++rank) {
      if (cluster.actor(rank)->ended()) cluster.set_actor(rank, make(rank, incarnation));
    }
  }
}

/// Trains again and again for the seconds of fuzzing, each time with other faults. A training may
/// end with an Error, which must have words. Forged numbers may let a learner wait for ever, so
/// each training is stopped after two seconds. One at least must get beyond its first messages.
inline void train_with_forged_messages(
    const std::filesystem::path& root,
    const std::function<void(const Scenario& scenario, const NetworkFaults& faults)>& train) {
  constexpr int kStepsWithoutAnswer = 200;  // actors play fewer before their learner has answered
  const Stopwatch watch;
  int trained = 0;
  for (std::uint64_t run = 0; watch.seconds() < fuzz_seconds(); ++run) {
    const auto folder = root / std::to_string(run);
    const Stopwatch since_begin;
    std::atomic<int> steps = 0;
    std::atomic<int> starts = 0;
    try {
      train({.folder = folder,
             .make_env = [&](int) { return std::make_unique<Counted>(steps, starts); },
             .steps = 20'000,
             .stop_requested = [&] { return since_begin.seconds() > 2; }},
            {.damaged = 0.005, .forged = 0.02, .seed = run});
      ++trained;
    } catch (const Error& error) {
      EXPECT_STRNE(error.what(), "");
      if (steps > kStepsWithoutAnswer) ++trained;
    }
    std::filesystem::remove_all(folder);
  }
  EXPECT_GT(trained, 0) << "every training ended at its first messages";
}

}  // namespace tandem
