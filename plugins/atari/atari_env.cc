// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
#include "atari_env.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tandem/base/error.h"

namespace tandem::atari {
namespace {

constexpr double kFramesPerSecond = 60;      // NTSC
constexpr double kPixelAspect = 12.0 / 7.0;  // of the console on an NTSC screen

/// The result of the steps within reset, as a saved state has it.
struct Carried {
  float reward = 0;
  bool terminated = false;
  bool truncated = false;
  bool game_over = false;
  std::uint8_t unused = 0;  // without a name, this byte of a saved state would be any
};

ConsoleOptions console_options(const AtariOptions& options, std::uint64_t seed) {
  return {.emulator = options.emulator,
          .seed = static_cast<std::int64_t>(seed & 0x7fffffff),  // ALE's seeds are 31 bits
          .sticky = options.sticky,
          .max_frames = options.max_frames,
          .mode = options.mode,
          .difficulty = options.difficulty,
          .simd = best_simd()};
}

}  // namespace

AtariEnv::AtariEnv(const std::filesystem::path& rom, const AtariOptions& options,
                   std::uint64_t seed)
    : options_(options),
      console_(make_console(rom, console_options(options, seed))),
      levels_(console_->gray_levels()),
      observer_(console_->height(), levels_, best_simd()),
      shown_{Screen(console_->screen_bytes()), Screen(console_->screen_bytes())},
      previous_(console_->screen_bytes()) {
  const auto minimal = console_->minimal_actions();
  actions_ = options.full_action_set ? console_->all_actions() : minimal;
  has_fire_ = std::ranges::count(minimal, Console::kFire) > 0;
  if (options.lives_follow_fire) options_.life_loss_terminal = options.fire_reset && has_fire_;

  spec_.dtype = DType::u8;
  spec_.frame_shape = {1, kSide, kSide};
  spec_.stack = options.stack;
  spec_.num_actions = static_cast<std::int64_t>(actions_.size());
  for (const int action : actions_) spec_.action_names.push_back(action_name(action));
  spec_.frames_per_step = options.frame_skip;
  spec_.render_fps = kFramesPerSecond / static_cast<double>(options.frame_skip);
}

void AtariEnv::reset(Stream& stream, std::span<std::byte> frame) {
  carried_ = {};
  if (std::exchange(life_lost_, false)) {
    pass_time(Console::kNoop);
  } else {
    start_game(stream);
  }
  // A life may be lost in the no-op; the next step then tells its end.
  const bool goes_on = !carried_.terminated && !carried_.truncated;
  if (options_.fire_reset && has_fire_ && goes_on) pass_time(Console::kFire);
  show(frame);
}

StepResult AtariEnv::step(std::span<const Action> actions, Stream&, std::span<std::byte> frame) {
  const auto& action = actions.front();
  if (action.discrete < 0 || action.discrete >= spec_.num_actions) {
    throw Error(fmt::format("action {} is not one of the game's {} actions (0 to {})",
                            action.discrete, spec_.num_actions, spec_.num_actions - 1));
  }
  auto result = std::exchange(carried_, {});
  if (!result.terminated && !result.truncated) {
    const float reward = result.reward;
    result = play(actions_[static_cast<std::size_t>(action.discrete)]);
    result.reward += reward;
  }
  life_lost_ = result.terminated && !result.game_over;
  show(frame);
  return result;
}

// As in Gymnasium's AtariPreprocessing: if an episode ends before a step's last frame, the previous
// observation is shown again. If it ends in the last frame, the observation shows the brighter
// pixels of the previous one and of the last frame but one.
StepResult AtariEnv::play(int action) {
  StepResult result;
  const auto skip = options_.frame_skip;
  for (std::int64_t t = 0; t < skip; ++t) {
    result.reward += static_cast<float>(console_->act(action, /*seen=*/t >= skip - 2));
    result.terminated = console_->over();
    result.truncated = console_->truncated();
    result.game_over = result.terminated || result.truncated;
    const int lives_before = std::exchange(lives_, console_->lives());
    if (options_.life_loss_terminal && lives_ < lives_before) result.terminated = true;

    const bool ended = result.terminated || result.truncated;
    if (ended && t == skip - 1 && skip > 1) keep_brighter(shown_[0], previous_, levels_);
    if (ended) break;
    if (t == skip - 2) copy_screen(previous_);
    if (t < skip - 1) continue;
    copy_screen(shown_[1]);
    if (skip == 1) {
      shown_[0] = shown_[1];
    } else {
      shown_[0].swap(previous_);
    }
  }
  return result;
}

void AtariEnv::start_game(Stream& stream) {
  const auto limit = static_cast<std::uint32_t>(options_.noop_max);
  const std::uint32_t noops = limit > 0 ? 1 + stream.below(limit) : 0;
  console_->new_game(/*seen=*/noops == 0);
  for (std::uint32_t i = 1; i <= noops; ++i) {
    const bool last = i == noops;
    console_->act(Console::kNoop, /*seen=*/last);
    if (console_->over() || console_->truncated()) console_->new_game(/*seen=*/last);
  }
  lives_ = console_->lives();
  for (auto& screen : shown_) copy_screen(screen);
}

void AtariEnv::pass_time(int action) {
  const float reward = carried_.reward;
  carried_ = play(action);
  carried_.reward += reward;
}

void AtariEnv::show(std::span<std::byte> frame) const {
  observer_(shown_[0].data(), shown_[1].data(), reinterpret_cast<std::uint8_t*>(frame.data()));
}

void AtariEnv::copy_screen(Screen& screen) const {
  std::memcpy(screen.data(), console_->screen(), screen.size());
}

void AtariEnv::save(StateWriter& writer) const {
  console_->save(writer);
  for (const auto& screen : shown_) writer.put_bytes(std::as_bytes(std::span(screen)));
  writer.put(lives_);
  writer.put(life_lost_);
  writer.put(Carried{carried_.reward, carried_.terminated, carried_.truncated, carried_.game_over});
}

void AtariEnv::load(StateReader& reader) {
  console_->load(reader);
  for (auto& screen : shown_) {
    reader.get_into(std::as_writable_bytes(std::span(screen)),
                    "the saved state is of another game");
  }
  lives_ = reader.get<int>();
  life_lost_ = reader.get<bool>();
  const auto carried = reader.get<Carried>();
  carried_ = {carried.reward, carried.terminated, carried.truncated, carried.game_over};
}

Picture AtariEnv::render() const {
  return {.width = kScreenWidth,
          .height = console_->height(),
          .rgb = console_->rgb(),
          .pixel_aspect = kPixelAspect};
}

}  // namespace tandem::atari
