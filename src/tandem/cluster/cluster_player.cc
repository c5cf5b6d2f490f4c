#include "tandem/cluster/cluster_player.h"

#include <algorithm>
#include <cmath>

#include "tandem/base/error.h"

namespace tandem {

bool can_be_counted(std::int64_t number) { return number >= 0 && number <= 1'000'000'000'000; }

void require_own_episodes(std::span<const Episode> episodes, int first_env, int envs) {
  const auto own = [&](const Episode& episode) {
    return episode.env >= first_env && episode.env < first_env + envs &&
           std::isfinite(episode.episode_return) && can_be_counted(episode.steps);
  };
  if (std::ranges::all_of(episodes, own)) return;
  throw Error("an actor reported games of environments that are not its own");
}

}  // namespace tandem
