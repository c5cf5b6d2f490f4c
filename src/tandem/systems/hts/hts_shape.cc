#include "tandem/systems/hts/hts_shape.h"

#include <fmt/format.h>

#include "tandem/base/error.h"

namespace tandem {

HtsShape HtsShape::of(const HtsConfig& config, std::int64_t agents) {
  const auto steps = config.rollout_steps();
  if (config.alpha % steps != 0) {
    throw Error(fmt::format(
        "hts.alpha = {} is not a multiple of hts.rollout = {}: executors take whole rollouts "
        "between two synchronisations",
        config.alpha, steps));
  }
  const auto rollouts = config.alpha / steps;
  if (rollouts % config.updates != 0) {
    throw Error(fmt::format(
        "hts.updates = {} updates cannot share {} rollouts (hts.alpha / hts.rollout) equally: "
        "choose a number that divides it",
        config.updates, rollouts));
  }
  return {.steps = static_cast<int>(steps),
          .rollouts = static_cast<int>(rollouts),
          .updates = static_cast<int>(config.updates),
          .envs = static_cast<int>(config.envs * agents),
          .envs_per_group = static_cast<int>(config.envs_per_group * agents)};
}

}  // namespace tandem
