#include "tandem/systems/fit.h"

#include <fmt/format.h>

namespace tandem {

std::string misfit(const Requirements& system, const AlgorithmTraits& algorithm) {
  if (system.learns_from != algorithm.learns_from) {
    return algorithm.learns_from == LearnsFrom::replay
               ? "the algorithm learns from a replay, and the system has none"
               : "the algorithm learns from rollouts, and the system learns from a replay";
  }
  if (!algorithm.actor_critic && algorithm.learns_from == LearnsFrom::rollouts &&
      !system.value_methods) {
    return "the algorithm values actions by target networks, and the system trains actor-critics";
  }
  if (algorithm.actor_critic && !system.target_keys.empty()) {
    return fmt::format("{} is about target networks, and the algorithm has none",
                       system.target_keys);
  }
  if (algorithm.passes && !system.passes) {
    return "the algorithm goes several times through whole rollouts of all environments, and the "
           "system learns from each of them once";
  }
  return "";
}

}  // namespace tandem
