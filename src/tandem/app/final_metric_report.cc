#include "tandem/app/final_metric_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "tandem/env/family.h"
#include "tandem/io/json_text.h"
#include "tandem/run/evaluation_files.h"
#include "tandem/run/run_directory.h"
#include "tandem/study/hts/final_metric.h"
#include "tandem/trainer/config.h"
#include "tandem/trainer/whole_games.h"

namespace tandem {

void print_statistics(const Evaluation& result, const std::optional<AtariScores>& scores) {
  fmt::print("mean              {:.2f}\n", result.mean);
  fmt::print("median            {:.2f}\n", result.median);
  if (result.games.size() > 1) fmt::print("std               {:.2f}\n", result.deviation);
  fmt::print("min..max          {:.10g}..{:.10g}\n", result.least, result.most);
  if (!scores) return;
  fmt::print("human-normalised  {:.3f} (random {:g}, human {:g}, both from {})\n",
             human_normalised(*scores, result.mean), scores->random, scores->human,
             kAtariScoresStart);
}

void add_statistics(nlohmann::ordered_json& json, const Evaluation& result,
                    const std::optional<AtariScores>& scores) {
  json["mean"] = result.mean;
  json["median"] = result.median;
  json["std"] = result.deviation;
  json["min"] = result.least;
  json["max"] = result.most;
  json["human_normalised"] = nullptr;
  json["human_normalised_by"] = nullptr;
  if (!scores) return;
  json["human_normalised"] = human_normalised(*scores, result.mean);
  json["human_normalised_by"] = kAtariScoresStart;
}

void report_final_metric(const std::string& run, bool as_json) {
  require_run(run);
  const RunPaths paths{run};
  const auto metric = final_metric(read_evaluations(paths.evaluations()), run);
  const auto config = load_config("", read_toml(paths.config()));
  const auto& env = config.env;
  const auto scores = find_atari_scores(env.id);
  const auto frames = most_frames(env);
  std::vector<double> returns;
  for (const auto& game : metric.games.games) returns.push_back(game.episode_return);
  if (as_json) {
    nlohmann::ordered_json json = {{"run", run},
                                   {"env", env.id},
                                   {"protocol", FinalMetric::kProtocol},
                                   {"max_frames", nullptr},
                                   {"greedy", metric.protocol.actions == "greedy"},
                                   {"start", metric.protocol.start},
                                   {"policies", metric.steps.size()},
                                   {"policy_steps", metric.steps},
                                   {"policy_means", metric.means},
                                   {"episodes", returns.size()}};
    add_statistics(json, metric.games, scores);
    json["returns"] = returns;
    if (frames && *frames > 0) json["max_frames"] = *frames;
    return fmt::print("{}\n", json_text(json));
  }
  fmt::print(
      "{}: the final metric of HTS-RL's paper\n"
      "protocol hts: {} games by each of the last {} policies that were evaluated during "
      "training,\n"
      "those of steps {}\n"
      "{} actions, start {}{}\n\n",
      env.id, FinalMetric::kGames, metric.steps.size(), fmt::join(metric.steps, " "),
      metric.protocol.actions, metric.protocol.start,
      frames && *frames > 0 ? fmt::format("; a game is cut off after {} frames", *frames) : "");
  print_statistics(metric.games, scores);
  fmt::print("means of each     {:g}\n", fmt::join(metric.means, " "));
}

}  // namespace tandem
