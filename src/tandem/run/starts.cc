#include "tandem/run/starts.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/base/random.h"
#include "tandem/base/streams.h"
#include "tandem/run/evaluation.h"

namespace tandem {
namespace {

/// One state of each game. The state at step t replaces the one kept so far with the probability
/// 1 / (t + 1); so each of a game's states is the last one kept with the same probability.
std::vector<StartState> one_of_each(Games& games, int first, const StartsOptions& options) {
  const auto count = static_cast<std::size_t>(games.env().envs());
  std::vector<StartState> kept(count);
  std::vector<Stream> draws;
  for (std::size_t i = 0; i < count; ++i) {
    draws.emplace_back(options.seed, streams::kStarts.id(static_cast<std::uint64_t>(first) + i));
  }
  for (std::uint32_t seen = 1; !games.over(); ++seen) {
    for (const int id : games.playing()) {
      const auto i = static_cast<std::size_t>(id);
      if (draws[i].below(seen) == 0) kept[i] = games.env().capture(id);
    }
    games.step();
    options.on_step(first + games.ended());
  }
  return kept;
}

}  // namespace

std::vector<StartState> record_starts(const StartsOptions& options, const EnvFactory& make_env,
                                      Network& network, const ActingRule& rule) {
  std::vector<StartState> starts;
  for (int first = 0; first < options.count; first += kGamesAtOnce) {
    VecEnv env(make_env, {.first = first,
                          .count = std::min(kGamesAtOnce, options.count - first),
                          .threads = options.threads > 1 ? options.threads : 0,
                          .seed = options.seed});
    if (!env.spec().saves) {
      throw Error(
          "this environment cannot save the state of a game, so no starts can be recorded from it; "
          "evaluate it by games from their beginning (tandem eval without --protocol)");
    }
    Games games(std::move(env), network, rule, options.play);
    std::ranges::move(one_of_each(games, first, options), std::back_inserter(starts));
  }
  return starts;
}

}  // namespace tandem
