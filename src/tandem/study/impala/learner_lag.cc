#include "tandem/study/impala/learner_lag.h"

#include <fmt/format.h>

#include "tandem/study/training_rate.h"

namespace tandem {

LearnerLag measure_learner_lag(std::int64_t actors, std::int64_t unroll, std::vector<Setting> task,
                               double seconds, const StopRequested& stop_requested) {
  const auto set = [&](const char* key, std::int64_t value) {
    task.push_back({key, fmt::format("{}", value), key});
  };
  set("impala.actors", actors);
  set("impala.envs", 1);
  set("impala.unroll", unroll);
  set("impala.batch", 1);
  set("impala.queue", 4 * actors);
  const auto means = measure_training(load_config("impala", task), seconds, stop_requested).means;
  return {.load = 1 - means.at("impala/learner_waiting").get<double>(),
          .queue = means.at("impala/training_queue"),
          .lag = means.at("impala/policy_lag_updates")};
}

}  // namespace tandem
