#include "tandem/run/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/base/median.h"

namespace tandem {
namespace {

std::vector<double> sorted_returns(const std::vector<Episode>& games) {
  std::vector<double> returns;
  returns.reserve(games.size());
  for (const auto& game : games) returns.push_back(game.episode_return);
  std::ranges::sort(returns);
  return returns;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double deviation_of(const std::vector<double>& values, double mean) {
  if (values.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace

Evaluation summarise(std::vector<Episode> games) {
  const auto returns = sorted_returns(games);
  const double mean = mean_of(returns);
  return {.games = std::move(games),
          .mean = mean,
          .median = median(returns),
          .deviation = deviation_of(returns, mean),
          .least = returns.front(),
          .most = returns.back()};
}

Evaluation evaluate(const EvaluationOptions& options, const EnvFactory& make_env, Network& network,
                    const ActingRule& rule) {
  if (options.episodes < 1) throw Error("an evaluation needs one game at least");
  std::vector<Episode> finished;
  for (int first = 0; first < options.episodes; first += kGamesAtOnce) {
    VecEnv env(make_env, {.first = first,
                          .count = std::min(kGamesAtOnce, options.episodes - first),
                          .threads = options.threads > 1 ? options.threads : 0,
                          .seed = options.seed});
    Games games(std::move(env), network, rule, options.play, options.starts);
    for (std::int64_t step = 0; !games.over(); ++step) {
      if (options.most_steps > 0 && step == options.most_steps) {
        throw Error(
            fmt::format("a game has not ended after {} steps, so it has no result; give the "
                        "environment a limit: env.max_steps or env.max_frames where it has that "
                        "key, max_episode_steps in env.kwargs for an id of Gymnasium, "
                        "gymnasium.wrappers.TimeLimit in a function that makes one, else its own",
                        step));
      }
      games.step();
      options.on_step(first + games.ended());
    }
    std::ranges::copy(games.take_finished(), std::back_inserter(finished));
  }
  return summarise(std::move(finished));
}

}  // namespace tandem
