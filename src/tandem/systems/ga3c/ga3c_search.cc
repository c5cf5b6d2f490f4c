#include "tandem/systems/ga3c/ga3c_search.h"

#include <utility>

namespace tandem {

Ga3cSearch::Ga3cSearch(double seconds, const Ga3cThreads& threads, Stream stream)
    : seconds_(seconds), adjustment_(threads, stream) {}

void Ga3cSearch::go_on() {
  updates_ = 0;
  watch_.lap();
}

std::optional<Ga3cThreads> Ga3cSearch::next() {
  tried_seconds_ += watch_.lap();
  tried_updates_ += updates_.exchange(0);
  if (seconds_ <= 0 || tried_seconds_ < seconds_) return std::nullopt;
  const auto updates = static_cast<double>(std::exchange(tried_updates_, 0));
  return adjustment_.next(updates / std::exchange(tried_seconds_, 0));
}

}  // namespace tandem
