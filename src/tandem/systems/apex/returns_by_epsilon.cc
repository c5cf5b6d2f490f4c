#include "tandem/systems/apex/returns_by_epsilon.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace tandem {

ReturnsByEpsilon::ReturnsByEpsilon(std::span<const float> epsilons) {
  const std::set<float, std::greater<>> all(epsilons.begin(), epsilons.end());
  if (all.size() < 2) return;
  const auto bands = std::min(kBands, all.size());
  std::map<float, std::size_t> band_of;
  for (const float epsilon : all) {
    const auto band = band_of.size() * bands / all.size();
    band_of[epsilon] = band;
    if (band == bands_.size()) bands_.emplace_back();
    bands_.back().key = key_of(epsilon);
  }
  for (const float epsilon : epsilons) band_of_.push_back(band_of[epsilon]);
}

std::string ReturnsByEpsilon::key_of(float epsilon) {
  return fmt::format("apex/return_epsilon_{:.2g}", epsilon);
}

void ReturnsByEpsilon::add(std::span<const Episode> episodes) {
  if (band_of_.empty()) return;
  const Lock lock(mutex_);
  for (const auto& episode : episodes) {
    auto& band = bands_[band_of_[static_cast<std::size_t>(episode.env)]];
    band.returns += episode.episode_return;
    band.episodes += 1;
  }
}

std::vector<Measure> ReturnsByEpsilon::take() {
  const Lock lock(mutex_);
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
