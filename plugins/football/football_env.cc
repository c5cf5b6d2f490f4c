#include "football_env.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "minimap.h"
#include "tandem/base/error.h"
#include "top_view.h"

namespace tandem::football {
namespace {

constexpr double kStepsPerSecond = 10;
constexpr std::uint32_t kSeeds = 2'000'000'001;  // as many as the package draws from
constexpr int kPictureWidth = 640;
constexpr int kPictureHeight = 320;
constexpr Camera kVideo = {.width = 640, .height = 360};

bool is_smm(const FootballOptions& options) { return options.representation == "smm"; }

bool by_camera(const FootballOptions& options) {
  return options.representation.starts_with("pixels");
}

Colours colours_of(const FootballOptions& options) {
  return options.representation.ends_with("_gray") ? Colours::gray : Colours::rgb;
}

std::vector<std::int64_t> frame_shape(const FootballOptions& options) {
  const std::int64_t colours = colours_of(options) == Colours::gray ? 1 : 3;
  return {is_smm(options) ? Minimap::kPlanes : colours, Minimap::kHeight, Minimap::kWidth};
}

/// The engine's camera, if it makes the observations. Its pictures are wide, as the package's.
Camera camera_of(const FootballOptions& options) {
  if (!by_camera(options)) return {};
  const auto width = static_cast<int>(options.camera_width);
  return {.width = width, .height = width * 9 / 16};
}

constexpr Shrink::Size kObservation = {.width = Minimap::kWidth, .height = Minimap::kHeight};

/// The size of the pictures that become observations.
Shrink::Size picture_size(const FootballOptions& options) {
  if (!by_camera(options)) return kObservation;
  const auto camera = camera_of(options);
  return {.width = camera.width, .height = camera.height};
}

EnvSpec make_spec(const FootballOptions& options) {
  EnvSpec spec{.dtype = DType::u8,
               .frame_shape = frame_shape(options),
               .stack = options.stack,
               .num_actions = static_cast<std::int64_t>(action_names().size()),
               .render_fps = kStepsPerSecond,
               .agents = options.players};
  spec.action_names.assign(action_names().begin(), action_names().end());
  return spec;
}

/// The scenario. Throws Error when agents cannot control so many of its players.
Scenario with_players(Scenario scenario, std::int64_t players) {
  for (const auto* setup : {&scenario.of(0), &scenario.of(1)}) {
    const auto most = setup->controllable();
    if (players > most) {
      throw Error(fmt::format(
          "env.players: {} asked for, but in 'football:{}' agents can control {} of the left team; "
          "set env.players to 1 to {}",
          players, scenario.name, most, most));
    }
    if (setup->control_all_players && players != most) {
      throw Error(fmt::format(
          "env.players: in 'football:{}' agents control all {} players of a team; set env.players "
          "to {}",
          scenario.name, most, most));
    }
  }
  return scenario;
}

}  // namespace

FootballEnv::FootballEnv(const std::filesystem::path& folder, const Scenario& scenario,
                         const FootballOptions& options)
    : folder_(folder),
      scenario_(with_players(scenario, options.players)),
      options_(options),
      spec_(make_spec(options)),
      play_(folder, scenario_, options.players, camera_of(options)),
      shrink_(picture_size(options), kObservation),
      checkpoints_(options.players),
      rewards_(static_cast<std::size_t>(options.players)) {}

void FootballEnv::reset(Stream& stream, std::span<std::byte> frames) {
  const bool again = options_.same_seed && play_.has_begun();
  play_.start(again ? play_.seed() : static_cast<std::uint32_t>(stream.below(kSeeds)));
  checkpoints_.reset();
  show(frames);
}

StepResult FootballEnv::step(std::span<const Action> actions, Stream&,
                             std::span<std::byte> frames) {
  const auto outcome = play_.step(actions);
  show(frames);
  for (std::size_t agent = 0; agent < rewards_.size(); ++agent) {
    rewards_[agent] = options_.rewards == "scoring"
                          ? static_cast<float>(outcome.score_change)
                          : checkpoints_.reward(static_cast<std::int64_t>(agent),
                                                outcome.score_change, play_.situation());
  }
  const auto sum = std::accumulate(rewards_.begin(), rewards_.end(), 0.0F);
  StepResult result{.reward = sum / static_cast<float>(rewards_.size()),
                    .terminated = outcome.ended,
                    .truncated = outcome.out_of_time && !outcome.ended,
                    .game_over = outcome.ended || outcome.out_of_time,
                    .score = static_cast<float>(outcome.score_change)};
  if (rewards_.size() > 1) result.rewards = rewards_;
  return result;
}

void FootballEnv::save(StateWriter& writer) const {
  play_.save(writer);
  checkpoints_.save(writer);
}

void FootballEnv::load(StateReader& reader) {
  play_.load(reader);
  checkpoints_.load(reader);
}

Picture FootballEnv::render() const {
  if (by_camera(options_)) return play_.draw();
  if (options_.pictures == "camera") return by_own_camera();
  return draw_top_view(play_.situation(), kPictureWidth, kPictureHeight);
}

/// The view of the engine's camera by a game of its own, which takes over the state of the one that
/// is played: an engine that draws plays other games, since it draws random numbers for its pitch.
Picture FootballEnv::by_own_camera() const {
  if (painter_ == nullptr) {
    painter_ = std::make_unique<Play>(folder_, scenario_, options_.players, kVideo);
  }
  StateWriter writer;
  play_.save(writer);
  StateReader reader(writer.bytes());
  painter_->load(reader);
  return painter_->draw();
}

/// Writes each agent's frame. All see the same picture.
void FootballEnv::show(std::span<std::byte> frames) {
  const auto bytes = spec_.frame_bytes();
  const auto frame = [&](std::int64_t agent) {
    return frames.subspan(static_cast<std::size_t>(agent) * bytes, bytes);
  };
  if (is_smm(options_)) {
    for (std::int64_t agent = 0; agent < options_.players; ++agent) {
      draw_minimap(play_.situation(), agent, frame(agent));
    }
    return;
  }
  const auto picture = by_camera(options_)
                           ? play_.draw()
                           : draw_top_view(play_.situation(), Minimap::kWidth, Minimap::kHeight);
  shrink_.colours(picture.rgb, colours_of(options_), frame(0));
  for (std::int64_t agent = 1; agent < options_.players; ++agent) {
    std::ranges::copy(frame(0), frame(agent).begin());
  }
}

}  // namespace tandem::football
