#include "tandem/app/system_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tandem/app/assembly.h"
#include "tandem/base/error.h"
#include "tandem/base/median.h"
#include "tandem/run/run_directory.h"
#include "tandem/run/signals.h"
#include "tandem/run/temporary_folder.h"
#include "tandem/run/training_run.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 4;
constexpr double kTrainingShare = 0.7;  // of a round; the parts get the rest
constexpr double kWarmUpShare = 0.2;    // of the training
constexpr double kNever = 1e9;

/// Follows a run by its steps after each update, and says when its time is up. Safe to use from
/// many threads.
class Meter {
 public:
  explicit Meter(double seconds) : seconds_(seconds) {}

  /// To be asked after each update; the time begins with the first call. Whether it is up.
  bool time_is_up(std::int64_t steps) {
    const std::lock_guard lock(mutex_);
    if (!begun_) watch_.lap();
    const Sample now{begun_ ? watch_.seconds() : 0, steps};
    if (!begun_ || now.seconds < kWarmUpShare * seconds_) warm_ = now;
    begun_ = true;
    last_ = now;
    return now.seconds >= seconds_;
  }

  /// Steps per second since the end of the warm-up.
  [[nodiscard]] double rate() const {
    return static_cast<double>(last_.steps - warm_.steps) / (last_.seconds - warm_.seconds);
  }

 private:
  struct Sample {
    double seconds = 0;
    std::int64_t steps = 0;
  };

  const double seconds_;
  std::mutex mutex_;  // for all below
  bool begun_ = false;
  Stopwatch watch_;
  Sample warm_;
  Sample last_;
};

Batching batching(const Config& config) {
  if (config.system == "a3c") {
    return {.envs = 1, .steps = static_cast<int>(config.a3c.t_max), .rollouts = 1};
  }
  if (config.system == "ga3c") {
    // What each predictor finds waiting, and one update's experiences.
    const auto& ga3c = config.ga3c;
    const auto envs = std::min(ga3c.agents * ga3c.envs / ga3c.predictors, ga3c.max_predictions);
    return {.envs = static_cast<int>(std::max<std::int64_t>(envs, 1)),
            .steps = static_cast<int>(ga3c.t_max),
            .rollouts = 1};
  }
  // train_system() has refused every other system by now.
  const auto& paac = config.paac;
  const auto envs = std::min(paac.envs, paac.envs_per_group);
  return {.envs = static_cast<int>(envs),
          .steps = static_cast<int>(paac.t_max),
          .rollouts = static_cast<int>((paac.envs + envs - 1) / envs)};
}

/// The shares of the run's only log line.
TimeShares logged_shares(const fs::path& metrics) {
  std::ifstream file(metrics);
  const auto line = nlohmann::json::parse(file);
  return {.stepping = line.at("time/stepping"),
          .inferring = line.at("time/inferring"),
          .learning = line.at("time/learning"),
          .waiting = line.at("time/waiting")};
}

struct Round {
  double rate = 0;
  TimeShares shares;
  StepCosts costs;
};

/// Threads beyond the cores add nothing.
int cores_of(const Config& config) {
  return std::min(config.run.thread_budget(), RunConfig{}.thread_budget());
}

Round measure_round(const Config& config, double seconds, const StopSignals& signals) {
  const TemporaryFolder folder;
  Assembly assembly(config);
  Meter meter(kTrainingShare * seconds);
  std::optional<TrainingRun> run;
  auto options = assembly.run_options();
  options.log_seconds = kNever;
  options.checkpoint_minutes = kNever;
  options.progress = nullptr;
  options.stop_requested = [&] { return meter.time_is_up(run->steps()) || signals.requested(); };
  run.emplace(std::move(options), RunDirectory::create(folder.path()));

  Parts parts = assembly.parts(*run);
  train_system(config, parts);
  if (signals.requested()) throw Error("interrupted; there is no result");
  const double rest = (1 - kTrainingShare) * seconds;
  return {meter.rate(), logged_shares(run->paths().metrics()),
          measure_step_costs(parts, batching(config), cores_of(config), rest)};
}

TimeShares mean_shares(const std::vector<Round>& rounds) {
  TimeShares sum;
  for (const auto& round : rounds) sum += round.shares;
  const double total = sum.total();
  return {.stepping = sum.stepping / total,
          .inferring = sum.inferring / total,
          .learning = sum.learning / total,
          .waiting = sum.waiting / total};
}

}  // namespace

SystemSpeed measure_system(const Config& config, double seconds) {
  Config endless = config;
  endless.run.steps = std::numeric_limits<std::int64_t>::max();
  const StopSignals signals;
  std::vector<Round> rounds;
  rounds.reserve(kRounds);
  for (int i = 0; i < kRounds; ++i) {
    rounds.push_back(measure_round(endless, seconds / kRounds, signals));
  }

  const auto middle = [&](auto value) {
    std::vector<double> values;
    values.reserve(rounds.size());
    for (const auto& round : rounds) values.push_back(value(round));
    return median(values);
  };
  SystemSpeed speed{.threads = config.run.thread_budget(),
                    .batching = batching(config),
                    .steps_per_second = middle([](const Round& r) { return r.rate; }),
                    .shares = mean_shares(rounds),
                    .costs = {.env = middle([](const Round& r) { return r.costs.env; }),
                              .inference = middle([](const Round& r) { return r.costs.inference; }),
                              .training = middle([](const Round& r) { return r.costs.training; })}};
  speed.limit =
      cores_of(config) / (config.run.device == "cpu" ? speed.costs.total() : speed.costs.env);
  return speed;
}

}  // namespace tandem
