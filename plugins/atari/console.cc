// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
#include "console.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "ale/ale_interface.hpp"
#include "ale/common/ColourPalette.hpp"
#include "ale/common/Log.hpp"
#include "ale_state.h"
#include "tandem/base/error.h"

namespace tandem::atari {
namespace {

std::vector<int> numbers(const ale::ActionVect& actions) {
  return {actions.begin(), actions.end()};
}

template <class Number>
Number choose(const std::vector<Number>& available, std::int64_t wanted, const char* option,
              const std::filesystem::path& rom) {
  const auto found = std::find(available.begin(), available.end(), static_cast<Number>(wanted));
  if (wanted >= 0 && found != available.end()) return *found;
  throw Error(fmt::format("env.{} = {}: {} has {} (-1 for its default)", option, wanted,
                          rom.stem().string(), fmt::join(available, ", ")));
}

}  // namespace

Console::Console(const std::filesystem::path& rom, const ConsoleOptions& options)
    : ale_(std::make_unique<ale::ALEInterface>()) {
  ale_->setInt("random_seed", static_cast<int>(options.seed));
  ale_->setFloat("repeat_action_probability", static_cast<float>(options.sticky));
  ale_->setInt("max_num_frames_per_episode", static_cast<int>(options.max_frames));
  try {
    ale_->loadROM(rom);
  } catch (const std::exception& error) {
    throw Error(fmt::format("ALE cannot start {}: {}", rom.string(), error.what()));
  }
  if (options.mode != -1) {
    ale_->setMode(choose(ale_->getAvailableModes(), options.mode, "mode", rom));
  }
  if (options.difficulty != -1) {
    ale_->setDifficulty(
        choose(ale_->getAvailableDifficulties(), options.difficulty, "difficulty", rom));
  }
}

Console::~Console() = default;

std::vector<int> Console::minimal_actions() const { return numbers(ale_->getMinimalActionSet()); }

std::vector<int> Console::all_actions() const { return numbers(ale_->getLegalActionSet()); }

std::string Console::action_name(int action) {
  constexpr std::string_view kPlayer = "PLAYER_A_";
  return ale::action_to_string(static_cast<ale::Action>(action)).substr(kPlayer.size());
}

void Console::silence_ale() { ale::Logger::setMode(ale::Logger::Error); }

void Console::new_game() { ale_->reset_game(); }

int Console::act(int action) { return ale_->act(static_cast<ale::Action>(action)); }

bool Console::over() const { return ale_->game_over(/*with_truncation=*/false); }

bool Console::truncated() const { return ale_->game_truncated(); }

int Console::lives() const { return ale_->lives(); }

int Console::height() const { return static_cast<int>(ale_->getScreen().height()); }

std::size_t Console::screen_bytes() const { return ale_->getScreen().arraySize(); }

const std::uint8_t* Console::screen() const { return ale_->getScreen().getArray(); }

GrayLevels Console::gray_levels() const {
  // ALE reads the entry after an index, so there is none for 255; colours are even anyway.
  GrayLevels indices;
  std::iota(indices.begin(), indices.end(), std::uint8_t{0});
  GrayLevels levels{};
  ale_->theOSystem->colourPalette().applyPaletteGrayscale(levels.data(), indices.data(), 255);
  return levels;
}

std::vector<std::uint8_t> Console::rgb() const {
  std::vector<std::uint8_t> pixels;
  ale_->getScreenRGB(pixels);
  return pixels;
}

void Console::save(StateWriter& writer) const { save_ale(*ale_, writer); }

void Console::load(StateReader& reader) { load_ale(*ale_, reader); }

}  // namespace tandem::atari
