#include "tandem/study/system_speed.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tandem/base/median.h"
#include "tandem/study/core_peak.h"
#include "tandem/study/training_rate.h"
#include "tandem/sync/stop_requested.h"
#include "tandem/trainer/assembly.h"

namespace tandem {
namespace {

constexpr int kRounds = 4;
constexpr double kPeakSeconds = 0.1;
constexpr double kTrainingShare = 0.7;  // share of a round; the rest is for measuring the parts

TimeShares shares_of(const nlohmann::ordered_json& means) {
  return {.stepping = means.at("time/stepping"),
          .inferring = means.at("time/inferring"),
          .learning = means.at("time/learning"),
          .waiting = means.at("time/waiting")};
}

struct Round {
  TrainingRate training;
  MeasuredCosts costs;
};

/// The number of cores that the threads can use. Some systems do not keep within run.threads.
int cores_of(const Config& config) {
  const int cores = RunConfig{}.thread_budget();
  const int budget = std::min(config.run.thread_budget(), cores);
  const auto threads = [&](int n) { return config.system->thread_pattern(n).computing; };
  const bool limited = config.system->threads_key() == "run.threads";
  return limited || threads(budget) != threads(cores) ? budget : cores;
}

Round measure_round(const Config& config, double seconds, const StopRequested& stop_requested) {
  const double rest = (1 - kTrainingShare) * seconds;
  Round round;
  // The copy's system changes. NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
  Config short_run = config;
  short_run.system->prepare_to_measure();
  round.training = measure_training(
      short_run, kTrainingShare * seconds, stop_requested,
      [&](const TrainingContext& context, const TrainingRate& training) {
        round.costs = config.system->measure_costs(context, training.means, cores_of(config), rest);
      });
  return round;
}

/// The measurements that only this system makes: the medians of those that it logs, as "ga3c/...",
/// and its own figures of the first round's costs.
nlohmann::ordered_json own_measures(const Config& config, const std::vector<Round>& rounds) {
  auto own = nlohmann::ordered_json::object();
  for (const auto& [key, value] : rounds.front().training.means.items()) {
    if (!key.starts_with(config.system_name + "/")) continue;
    std::vector<double> values;
    for (const auto& round : rounds) {
      const auto& means = round.training.means;
      if (means.contains(key)) values.push_back(means.at(key));
    }
    own[key] = median(values);
  }
  own.update(rounds.front().costs.own);
  return own;
}

TimeShares mean_shares(const std::vector<Round>& rounds) {
  TimeShares sum;
  for (const auto& round : rounds) sum += shares_of(round.training.means);
  const double total = sum.total();
  return {.stepping = sum.stepping / total,
          .inferring = sum.inferring / total,
          .learning = sum.learning / total,
          .waiting = sum.waiting / total};
}

}  // namespace

SystemSpeed measure_system(const Config& config, double seconds,
                           const StopRequested& stop_requested) {
  std::vector<Round> rounds;
  rounds.reserve(kRounds);
  for (int i = 0; i < kRounds; ++i) {
    rounds.push_back(measure_round(config, seconds / kRounds, stop_requested));
  }

  const auto middle = [&](auto value) {
    std::vector<double> values;
    values.reserve(rounds.size());
    for (const auto& round : rounds) values.push_back(value(round));
    return median(values);
  };
  SystemSpeed speed{
      .threads = config.run.thread_budget(),
      .batching = config.system->batching(),
      .steps_per_second = middle([](const Round& r) { return r.training.steps_per_second; }),
      .shares = mean_shares(rounds),
      .own = own_measures(config, rounds),
      .costs = {.env = middle([](const Round& r) { return r.costs.costs.env; }),
                .inference = middle([](const Round& r) { return r.costs.costs.inference; }),
                .training = middle([](const Round& r) { return r.costs.costs.training; }),
                .operations = middle([](const Round& r) { return r.costs.costs.operations; })}};
  speed.peak = measure_core_peak(precision_of(config.net), cores_of(config), kPeakSeconds);
  speed.limit =
      cores_of(config) / (config.run.device == "cpu" ? speed.costs.total() : speed.costs.env);
  return speed;
}

}  // namespace tandem
