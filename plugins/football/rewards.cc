#include "rewards.h"

#include <algorithm>
#include <cmath>

#include "tandem/base/error.h"

namespace tandem::football {
namespace {

constexpr std::int32_t kCheckpoints = 10;
constexpr double kCheckpointReward = 0.1;
// The distances to the goal at which the first and the last checkpoint lie.
constexpr double kFarthest = 0.99;
constexpr double kNearest = 0.19;

/// The distance at which checkpoint `k` lies.
double threshold(std::int32_t k) {
  return kFarthest - (kFarthest - kNearest) / (kCheckpoints - 1) * k;
}

}  // namespace

CheckpointRewards::CheckpointRewards(std::int64_t agents)
    : collected_(static_cast<std::size_t>(agents)) {}

void CheckpointRewards::reset() { std::ranges::fill(collected_, 0); }

float CheckpointRewards::reward(std::int64_t agent, std::int32_t score_change,
                                const Situation& now) {
  auto& collected = collected_[static_cast<std::size_t>(agent)];
  double reward = score_change;
  if (score_change == 1) {
    reward += kCheckpointReward * (kCheckpoints - collected);
    collected = kCheckpoints;
    return static_cast<float>(reward);
  }
  const auto player = now.controlled[static_cast<std::size_t>(agent)];
  if (now.owner != Side::left || now.owning_player != player) return static_cast<float>(reward);
  const double distance = std::hypot(now.ball.x - 1.0, static_cast<double>(now.ball.y));
  for (; collected < kCheckpoints && distance <= threshold(collected); ++collected) {
    reward += kCheckpointReward;
  }
  return static_cast<float>(reward);
}

void CheckpointRewards::load(StateReader& reader) {
  auto collected = reader.get_values<std::int32_t>();
  const auto possible = [](std::int32_t count) { return count >= 0 && count <= kCheckpoints; };
  if (collected.size() != collected_.size() || !std::ranges::all_of(collected, possible)) {
    throw Error("football: the saved state is damaged or of another number of players");
  }
  collected_ = std::move(collected);
}

}  // namespace tandem::football
