#include "tandem/study/system_speed.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tandem/base/median.h"
#include "tandem/study/training_rate.h"
#include "tandem/sync/stop_requested.h"
#include "tandem/systems/apex/apex_costs.h"
#include "tandem/trainer/assembly.h"

namespace tandem {
namespace {

constexpr int kRounds = 4;
constexpr double kTrainingShare = 0.7;  // of a round; the parts get the rest

Batching hts_batching(const HtsConfig& hts) {
  const auto askers = hts.actors > 0 ? hts.actors : hts.executors;
  const auto waiting = std::min(hts.envs / askers, hts.max_predictions);
  const auto together = hts.deterministic ? std::min(hts.envs, hts.envs_per_group) : waiting;
  const auto envs = std::max<std::int64_t>(together, 1);
  return {.envs = static_cast<int>(envs),
          .steps = static_cast<int>(hts.alpha),
          .rollouts = static_cast<int>((hts.envs + envs - 1) / envs),
          .alone = hts.deterministic,
          .apart = !hts.deterministic || hts.envs * hts.alpha > HtsConfig::kMostRecorded};
}

}  // namespace

Batching batching_of(const Config& config) {
  if (config.system == "a3c") {
    return {.envs = 1, .steps = static_cast<int>(config.a3c.t_max), .rollouts = 1};
  }
  if (config.system == "ga3c") {
    // What each predictor finds waiting, and one update's experiences.
    const auto& ga3c = config.ga3c;
    const auto waiting = std::min(ga3c.agents * ga3c.envs / ga3c.predictors, ga3c.max_predictions);
    const auto envs = std::max<std::int64_t>(waiting, 1);
    const auto samples = envs * ga3c.t_max;
    return {.envs = static_cast<int>(envs),
            .steps = static_cast<int>(ga3c.t_max),
            .rollouts = static_cast<int>((ga3c.min_batch + samples - 1) / samples),
            .apart = true,
            .acts_on_last = true};
  }
  if (config.system == "hts") return hts_batching(config.hts);
  if (config.system == "impala") {
    const auto& impala = config.impala;
    return {.envs = static_cast<int>(impala.envs),
            .steps = static_cast<int>(impala.unroll),
            .rollouts = static_cast<int>((impala.batch + impala.envs - 1) / impala.envs),
            .apart = true};
  }
  // An update of Ape-X is no rollout's: it has a batch of its own.
  if (config.system == "apex") return {.envs = static_cast<int>(config.apex.envs), .steps = 1};
  // train_system() has refused every other system by now.
  const auto& paac = config.paac;
  const auto envs = std::min(paac.envs, paac.envs_per_group);
  return {.envs = static_cast<int>(envs),
          .steps = static_cast<int>(paac.t_max),
          .rollouts = static_cast<int>((paac.envs + envs - 1) / envs)};
}

namespace {

TimeShares shares_of(const nlohmann::ordered_json& means) {
  return {.stepping = means.at("time/stepping"),
          .inferring = means.at("time/inferring"),
          .learning = means.at("time/learning"),
          .waiting = means.at("time/waiting")};
}

struct Round {
  TrainingRate training;
  StepCosts costs;
};

/// Threads beyond the cores add nothing.
int cores_of(const Config& config) {
  return std::min(config.run.thread_budget(), RunConfig{}.thread_budget());
}

/// Rounds are too short to fill a replay before learning begins, and nothing is kept of them.
Config of_a_round(Config config) {
  config.replay.min_fill = std::min(config.replay.min_fill, config.apex.batch);
  config.apex.keep_replay = false;
  return config;
}

/// Those that were taken, where nothing holds actors and learner to a ratio.
double samples_per_step(const Config& config, const TrainingRate& training) {
  const double set = config.replay.samples_per_insert;
  const double per_insert = set > 0 ? set : training.means.value("replay/samples_per_insert", 0.0);
  return per_insert * static_cast<double>(config.apex.copies);
}

StepCosts measure_costs(const Config& config, const Parts& parts, const TrainingRate& training,
                        double seconds) {
  const int cores = cores_of(config);
  if (config.system != "apex") {
    return measure_step_costs(parts, batching_of(config), cores, seconds);
  }
  return measure_apex_costs(config.apex, config.replay, apex_rules(config), parts,
                            samples_per_step(config, training), cores, seconds);
}

Round measure_round(const Config& config, double seconds, const StopRequested& stop_requested) {
  const double rest = (1 - kTrainingShare) * seconds;
  Round round;
  round.training = measure_training(of_a_round(config), kTrainingShare * seconds, stop_requested,
                                    [&](const Parts& parts, const TrainingRate& training) {
                                      round.costs = measure_costs(config, parts, training, rest);
                                    });
  return round;
}

/// The medians of what only this system measures, as "ga3c/...".
nlohmann::ordered_json own_measures(const Config& config, const std::vector<Round>& rounds) {
  auto own = nlohmann::ordered_json::object();
  for (const auto& [key, value] : rounds.front().training.means.items()) {
    if (!key.starts_with(config.system + "/")) continue;
    std::vector<double> values;
    for (const auto& round : rounds) {
      const auto& means = round.training.means;
      if (means.contains(key)) values.push_back(means.at(key));
    }
    own[key] = median(values);
  }
  if (config.system == "apex") {
    own["apex/samples_per_step"] = samples_per_step(config, rounds.front().training);
  }
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
      .batching = batching_of(config),
      .steps_per_second = middle([](const Round& r) { return r.training.steps_per_second; }),
      .shares = mean_shares(rounds),
      .own = own_measures(config, rounds),
      .costs = {.env = middle([](const Round& r) { return r.costs.env; }),
                .inference = middle([](const Round& r) { return r.costs.inference; }),
                .training = middle([](const Round& r) { return r.costs.training; })}};
  speed.limit =
      cores_of(config) / (config.run.device == "cpu" ? speed.costs.total() : speed.costs.env);
  return speed;
}

}  // namespace tandem
