#include "doom_env.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tandem/base/error.h"

namespace tandem::doom {
namespace {

constexpr double kTicsPerSecond = 35;

GameOptions game_options(const std::filesystem::path& folder, const std::string& scenario,
                         const DoomOptions& options) {
  return {.folder = folder,
          .scenario = scenario,
          .resolution = options.resolution,
          .depth = options.depth,
          .map = options.map,
          .skill = options.skill};
}

Colours colours_of(const DoomOptions& options) {
  return options.colours == "gray" ? Colours::gray : Colours::rgb;
}

std::int64_t planes_of(const DoomOptions& options) {
  return (colours_of(options) == Colours::gray ? 1 : 3) + (options.depth ? 1 : 0);
}

/// The options with the size of the observations. Throws Error if they are larger than the screen.
DoomOptions with_size(DoomOptions options, const Game& game) {
  if (options.width == 0) options.width = game.width();
  if (options.height == 0) options.height = game.height();
  if (options.width > game.width() || options.height > game.height()) {
    throw Error(fmt::format(
        "env.width, env.height: observations of {} x {} are larger than the screen of {}; make "
        "them smaller, or choose a larger env.resolution",
        options.width, options.height, options.resolution));
  }
  return options;
}

EnvSpec make_spec(const DoomOptions& options, const std::vector<HeldButtons>& actions) {
  EnvSpec spec{.dtype = DType::u8,
               .frame_shape = {planes_of(options), options.height, options.width},
               .stack = options.stack,
               .num_actions = static_cast<std::int64_t>(actions.size()),
               .frames_per_step = options.frame_skip,
               .render_fps = kTicsPerSecond / static_cast<double>(options.frame_skip)};
  for (const auto& action : actions) spec.action_names.push_back(action.name);
  return spec;
}

/// The game that a saved state belongs to: another one would play its actions otherwise.
std::string words_of(const std::string& scenario, const DoomOptions& options) {
  return fmt::format("{} map={} skill={} frame_skip={} buttons={} delta={} resolution={} depth={}",
                     scenario, options.map, options.skill, options.frame_skip, options.buttons,
                     options.delta, options.resolution, options.depth);
}

}  // namespace

DoomEnv::DoomEnv(const std::filesystem::path& folder, const std::string& scenario,
                 const DoomOptions& options)
    : game_(game_options(folder, scenario, options)),
      scenario_(scenario),
      options_(with_size(options, game_)),
      actions_(make_actions(game_.buttons(), options_.buttons, options_.delta)),
      spec_(make_spec(options_, actions_)),
      shrink_({game_.width(), game_.height()}, {options_.width, options_.height}) {}

void DoomEnv::reset(Stream& stream, std::span<std::byte> frame) {
  seed_ = stream.bits();
  taken_.clear();
  game_.start(seed_);
  started_ = true;
  show(frame);
}

StepResult DoomEnv::step(std::span<const Action> actions, Stream&, std::span<std::byte> frame) {
  const auto chosen = static_cast<std::size_t>(actions.front().discrete);
  taken_.push_back(static_cast<std::uint16_t>(chosen));
  const auto outcome = game_.act(actions_[chosen].amounts, static_cast<int>(options_.frame_skip));
  show(frame);
  return {.reward = static_cast<float>(outcome.reward),
          .terminated = outcome.ended,
          .truncated = outcome.out_of_time && !outcome.ended,
          .game_over = outcome.ended || outcome.out_of_time};
}

void DoomEnv::save(StateWriter& writer) const {
  writer.put_string(words_of(scenario_, options_));
  writer.put(static_cast<std::uint8_t>(started_));
  writer.put(seed_);
  writer.put_values(taken_);
}

void DoomEnv::load(StateReader& reader) {
  const auto words = reader.get_string();
  const bool started = reader.get<std::uint8_t>() != 0;
  const auto seed = reader.get<std::uint32_t>();
  auto taken = reader.get_values<std::uint16_t>();
  const auto own = words_of(scenario_, options_);
  if (words != own) {
    throw Error(
        fmt::format("doom: the saved state is of another game: {}; this one is {}", words, own));
  }
  if (std::ranges::any_of(taken, [&](auto action) { return action >= actions_.size(); })) {
    throw Error("doom: the saved state is damaged");
  }
  seed_ = seed;
  taken_ = std::move(taken);
  started_ = false;
  if (!started) return;
  game_.start(seed_);
  started_ = true;
  const auto tics = static_cast<int>(options_.frame_skip);
  // Each step draws, as it did before: textures move on from picture to picture.
  for (const auto action : taken_) game_.act(actions_[action].amounts, tics);
}

Picture DoomEnv::render() const {
  if (!started_) return {};
  const auto screen = game_.screen();
  return {.width = game_.width(), .height = game_.height(), .rgb = {screen.begin(), screen.end()}};
}

void DoomEnv::show(std::span<std::byte> frame) {
  shrink_.colours(game_.screen(), colours_of(options_), frame);
  if (!options_.depth) return;
  const auto plane = static_cast<std::size_t>(options_.width * options_.height);
  shrink_.plane(game_.distances(), frame.last(plane));
}

}  // namespace tandem::doom
