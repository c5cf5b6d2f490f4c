#include "play.h"

#include <algorithm>

#include "tandem/base/error.h"

namespace tandem::football {
namespace {

// Indices into action_names().
constexpr std::int32_t kIdle = 0;
constexpr std::int32_t kLeft = 1;
constexpr std::int32_t kRight = 5;
constexpr std::int32_t kShortPass = 11;

// After so many steps of waiting the package starts the game itself.
constexpr std::int32_t kMostWaiting = 20;
// For so long after that, a player that owns the ball is sent to the right, then to the left.
constexpr std::int32_t kSentRight = 30;

}  // namespace

Play::Play(const std::filesystem::path& folder, const Scenario& scenario, std::int64_t agents,
           const Camera& camera)
    : scenario_(scenario), agents_(agents), game_(folder, camera) {}

void Play::start_episode(std::uint32_t episode, std::uint32_t seed) {
  progress_ = {.episode = episode, .seed = seed};
  begin();
}

void Play::begin() {
  begun_ = true;
  game_.start(setup(), progress_.seed, agents_);
}

std::int32_t Play::played(std::int64_t agent, std::int32_t action) const {
  if (progress_.waiting < kMostWaiting) return action;
  if (progress_.waiting == kMostWaiting) return kShortPass;
  const auto& now = situation();
  const bool owns = now.owner == Side::left &&
                    now.controlled[static_cast<std::size_t>(agent)] == now.owning_player;
  if (!owns) return kIdle;
  return progress_.waiting < kSentRight ? kRight : kLeft;
}

Outcome Play::step(std::span<const Action> actions) {
  for (std::int64_t agent = 0; agent < agents_; ++agent) {
    game_.act(agent, played(agent, actions[static_cast<std::size_t>(agent)].discrete));
  }
  game_.step();
  const auto& now = situation();
  const auto score = now.goals[0] - now.goals[1];
  const Outcome outcome{.score_change = score - progress_.score,
                        .ended = ends(),
                        .out_of_time = now.step >= duration()};
  progress_.score = score;
  progress_.waiting = now.mode == Situation::kNormalPlay ? 0 : progress_.waiting + 1;
  return outcome;
}

/// Whether the last step ended the episode; remembers the step's mode and owner of the ball.
bool Play::ends() {
  const auto& now = situation();
  const auto& rules = setup();
  const bool scored = now.goals[0] > 0 || now.goals[1] > 0;
  const bool interrupted =
      now.mode != Situation::kNormalPlay && progress_.mode == Situation::kNormalPlay;
  const bool lost =
      now.owner != Side::nobody && progress_.owner != Side::nobody && now.owner != progress_.owner;
  progress_.mode = now.mode;
  if (now.owner != Side::nobody) progress_.owner = now.owner;
  return (rules.end_episode_on_score && scored) ||
         (rules.end_episode_on_out_of_play && interrupted) ||
         (rules.end_episode_on_possession_change && lost);
}

void Play::save(StateWriter& writer) const {
  writer.put(begun_);
  if (!begun_) return;
  writer.put(progress_);
  writer.put_string(game_.save());
}

void Play::load(StateReader& reader) {
  if (!reader.get<bool>()) {
    begun_ = false;
    return;
  }
  progress_ = reader.get<Progress>();
  const auto state = reader.get_string();
  begin();
  game_.load(state);
}

}  // namespace tandem::football
