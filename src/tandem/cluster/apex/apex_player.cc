#include "tandem/cluster/apex/apex_player.h"

#include <iterator>
#include <utility>

namespace tandem {

ApexPlayer::ApexPlayer(const ApexActorOptions& options, const ActorContext& context,
                       NetworkCopy copy, std::int64_t copies)
    : copies_(copies), actor_(options, context, std::move(copy)) {}

void ApexPlayer::play() {
  const auto before = full_.size();
  actor_.step(full_);
  steps_ += actor_.size();
  for (auto i = before; i < full_.size(); ++i) {
    packed_ += std::ssize(full_[i]->transitions()) * copies_;
    packed_bytes_ += full_[i]->bytes();
  }
}

void ApexPlayer::take(StateWriter& writer) {
  for (const auto& segment : full_) segment->save(writer);
  full_.clear();
  packed_ = 0;
  packed_bytes_ = 0;
}

ActorPlayed ApexPlayer::take_played() {
  return {.steps = std::exchange(steps_, 0),
          .episodes = actor_.take_episodes(),
          .seconds = actor_.take_seconds()};
}

}  // namespace tandem
