#include "tandem/systems/ga3c/ga3c_adjustment.h"

#include <array>

namespace tandem {

Ga3cThreads Ga3cAdjustment::next(double trainings_per_second) {
  if (tried_ == kept_ || trainings_per_second > kept_rate_) {
    kept_ = tried_;
    kept_rate_ = trainings_per_second;
    tried_ = changed();
  } else {
    tried_ = kept_;
  }
  return tried_;
}

/// Draws one of the up to six neighbours within the limits; returns the kept numbers if there is
/// none.
Ga3cThreads Ga3cAdjustment::changed() {
  constexpr std::array kNumbers = {&Ga3cThreads::agents, &Ga3cThreads::predictors,
                                   &Ga3cThreads::trainers};
  std::array<Ga3cThreads, 2 * kNumbers.size()> neighbours;
  std::uint32_t count = 0;
  for (const auto number : kNumbers) {
    for (const int change : {-1, 1}) {
      auto neighbour = kept_;
      neighbour.*number += change;
      if (neighbour.*number < 1 || neighbour.*number > Ga3cThreads::kMost.*number) continue;
      neighbours[count++] = neighbour;
    }
  }
  return count == 0 ? kept_ : neighbours[stream_.below(count)];
}

void Ga3cAdjustment::save(StateWriter& writer) const {
  writer.put(kept_);
  stream_.save(writer);
}

void Ga3cAdjustment::load(StateReader& reader) {
  kept_ = tried_ = reader.get<Ga3cThreads>();
  stream_.load(reader);
}

}  // namespace tandem
