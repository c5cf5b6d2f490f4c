#include "tandem/systems/ga3c/ga3c_cores.h"

#include <cstdint>
#include <iterator>

namespace tandem {

Ga3cCores Ga3cCores::of(const Ga3cConfig& config, std::span<const int> usable) {
  const auto own = config.trainer_cores;
  const auto threads = config.agents + config.predictors + config.trainers;
  if (own == 0 || std::ssize(usable) <= own || std::ssize(usable) >= threads) return {};
  const auto middle = usable.begin() + own;
  return {.trainers = {usable.begin(), middle}, .others = {middle, usable.end()}};
}

}  // namespace tandem
