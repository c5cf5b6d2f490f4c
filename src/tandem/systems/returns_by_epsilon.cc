#include "tandem/systems/returns_by_epsilon.h"

#include <fmt/format.h>

#include <algorithm>

namespace tandem {

ReturnsByEpsilon::ReturnsByEpsilon(std::span<const float> epsilons) {
  const auto bands = std::min(kBands, epsilons.size());
  for (std::size_t env = 0; env < epsilons.size(); ++env) {
    band_of_.push_back(env * bands / epsilons.size());
    if (band_of_.back() == bands_.size()) bands_.emplace_back();
    bands_.back().key = fmt::format("apex/return_epsilon_{:.2g}", epsilons[env]);
  }
}

void ReturnsByEpsilon::add(std::span<const Episode> episodes) {
  const std::lock_guard lock(mutex_);
  for (const auto& episode : episodes) {
    auto& band = bands_[band_of_[static_cast<std::size_t>(episode.env)]];
    band.returns += episode.episode_return;
    band.episodes += 1;
  }
}

std::vector<Measure> ReturnsByEpsilon::take() {
  const std::lock_guard lock(mutex_);
  std::vector<Measure> measures;
  for (auto& band : bands_) {
    if (band.episodes == 0) continue;
    measures.push_back({band.key.c_str(), band.returns, band.episodes});
    band.returns = 0;
    band.episodes = 0;
  }
  return measures;
}

}  // namespace tandem
