#include "tandem/study/hts/final_metric.h"

#include <fmt/format.h>

#include <utility>

#include "tandem/base/error.h"

namespace tandem {
namespace {

constexpr auto kRemedy =
    "train with run.evaluate_steps at a tenth of run.steps or less and run.evaluate_episodes = 10 "
    "(and run.evaluate_start = noop for Atari games), or go on by `tandem train --resume {}` with "
    "them. Evaluations rest most of the time, so a short training has few";

Error lacks(const std::string& run, const std::string& what) {
  auto error = Error(fmt::format(
      "the final metric of HTS-RL's paper is the mean over {} games by each of the last "
      "{} policies that a run evaluated while it trained, and {} {}; {}",
      FinalMetric::kGames, FinalMetric::kPolicies, run, what, fmt::format(kRemedy, run)));
  return error;
}

}  // namespace

FinalMetric final_metric(std::span<const EvaluationRecord> records, const std::string& run) {
  const auto policies = static_cast<std::size_t>(FinalMetric::kPolicies);
  if (records.size() < policies) {
    throw lacks(run, fmt::format("has evaluated {}", records.size()));
  }
  const auto last = records.last(policies);
  FinalMetric metric;
  metric.protocol = last.back().protocol;
  std::vector<Episode> games;
  for (const auto& record : last) {
    if (record.episodes != FinalMetric::kGames) {
      throw lacks(run, fmt::format("played {} with that of step {}", record.episodes, record.step));
    }
    if (std::ssize(record.returns) != record.episodes) {
      throw lacks(run, fmt::format("has no return of each game of step {}, as an older tandem "
                                   "evaluated it",
                                   record.step));
    }
    if (record.protocol != metric.protocol) {
      throw lacks(run, fmt::format("played them by different rules: {} actions, start {} at step "
                                   "{}, and {} actions, start {} at the last",
                                   record.protocol.actions, record.protocol.start, record.step,
                                   metric.protocol.actions, metric.protocol.start));
    }
    metric.steps.push_back(record.step);
    metric.means.push_back(record.mean);
    for (const double value : record.returns) {
      games.push_back({.env = static_cast<int>(games.size()), .episode_return = value, .steps = 0});
    }
  }
  metric.games = summarise(std::move(games));
  return metric;
}

}  // namespace tandem
