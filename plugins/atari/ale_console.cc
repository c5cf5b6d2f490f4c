// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
#include "ale_console.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "ale/ale_interface.hpp"
#include "ale/common/ColourPalette.hpp"
#include "ale/emucore/Console.hxx"
#include "ale/emucore/TIA.hxx"
#include "ale_state.h"
#include "tandem/base/error.h"

namespace tandem::atari::TANDEM_EMULATOR {
namespace {

using ale::stella::TIA;

/// True for the graphics chip of the patched ALE, which can emulate a frame without drawing it.
template <class Chip>
concept Skips = requires(Chip chip) {
  chip.pictureComplete();
};

template <class Chip, class Environment>
void set_drawing(Environment& environment, bool drawing) {
  if constexpr (Skips<Chip>) environment.setDrawing(drawing);
}

template <class Chip>
bool picture_complete(const Chip& chip) {
  if constexpr (Skips<Chip>) return chip.pictureComplete();
  return true;
}

template <class Chip>
bool pictures_complete(const Chip& chip) {
  if constexpr (Skips<Chip>) return chip.picturesComplete();
  return true;
}

constexpr int register_bits(Simd simd) {
  if (simd == Simd::portable) return 64;
  return simd == Simd::avx2 ? 256 : 512;
}

template <class Chip>
void draw_with(Chip& chip, Simd simd) {
  if constexpr (Skips<Chip>) chip.useWidth(register_bits(simd));
}

template <class Number>
std::vector<int> numbers(const std::vector<Number>& values) {
  return {values.begin(), values.end()};
}

template <class Number>
Number choose(const std::vector<Number>& available, std::int64_t wanted, const char* option,
              const std::filesystem::path& rom) {
  const auto found = std::find(available.begin(), available.end(), static_cast<Number>(wanted));
  if (wanted >= 0 && found != available.end()) return *found;
  throw Error(fmt::format("env.{} = {}: {} has {} (-1 for its default)", option, wanted,
                          rom.stem().string(), fmt::join(available, ", ")));
}

/// The patched ALE does not draw frames that nobody will see. Their rows are missing if a later
/// frame ends early, because the rows below its end still show the frame before the last one. So
/// the console keeps all actions since a saved state, to emulate them again with every frame drawn.
class AleConsole final : public Console {
 public:
  AleConsole(const std::filesystem::path& rom, const ConsoleOptions& options)
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
    chip_ = &dynamic_cast<TIA&>(ale_->theOSystem->console().mediaSource());
    draw_with(*chip_, options.simd);
  }

  [[nodiscard]] std::vector<int> minimal_actions() const override {
    return numbers(ale_->getMinimalActionSet());
  }
  [[nodiscard]] std::vector<int> all_actions() const override {
    return numbers(ale_->getLegalActionSet());
  }
  [[nodiscard]] std::vector<int> modes() const override {
    return numbers(ale_->getAvailableModes());
  }
  [[nodiscard]] std::vector<int> difficulties() const override {
    return numbers(ale_->getAvailableDifficulties());
  }

  void new_game(bool seen) override { emulate(kNewGame, seen); }

  int act(int action, bool seen) override { return emulate(action, seen); }

  [[nodiscard]] bool over() const override { return ale_->game_over(/*with_truncation=*/false); }
  [[nodiscard]] bool truncated() const override { return ale_->game_truncated(); }
  [[nodiscard]] int lives() const override { return ale_->lives(); }
  [[nodiscard]] int height() const override { return static_cast<int>(ale_->getScreen().height()); }
  [[nodiscard]] std::size_t screen_bytes() const override { return ale_->getScreen().arraySize(); }

  [[nodiscard]] const std::uint8_t* screen() override {
    if (last_drawn_ && picture_complete(*chip_)) return chip_->currentFrameBuffer();
    redraw();
    // For a while all frames are drawn, twice as long each time, so that a game with many short
    // frames is soon drawn in full.
    drawn_frames_left_ = kFramesDrawnAfterRedraw << std::min(redraws_, 20);
    ++redraws_;
    return chip_->currentFrameBuffer();
  }

  [[nodiscard]] GrayLevels gray_levels() const override {
    // ALE also reads the entry after an index, so index 255 is left out. Colours have even indices.
    GrayLevels indices;
    std::iota(indices.begin(), indices.end(), std::uint8_t{0});
    GrayLevels levels{};
    ale_->theOSystem->colourPalette().applyPaletteGrayscale(levels.data(), indices.data(), 255);
    return levels;
  }

  [[nodiscard]] std::vector<std::uint8_t> rgb() override {
    static_cast<void>(screen());
    std::vector<std::uint8_t> pixels;
    ale_->getScreenRGB(pixels);
    return pixels;
  }

  [[nodiscard]] std::vector<std::uint8_t> ram() const override {
    const auto& memory = ale_->getRAM();
    return {memory.array(), memory.array() + memory.size()};
  }

  void save(StateWriter& writer) override {
    if (!whole()) redraw();
    save_ale(*ale_, writer);
  }

  void load(StateReader& reader) override {
    start_.clear();
    since_.clear();
    load_ale(*ale_, reader);
    last_drawn_ = true;
  }

 private:
  static constexpr int kNewGame = -1;
  static constexpr std::size_t kFramesBetweenStates = 2048;  // a state takes as long as 3 frames
  static constexpr std::int64_t kFramesDrawnAfterRedraw = 4096;

  int emulate(int action, bool seen) {
    if (drawn_frames_left_ > 0) --drawn_frames_left_;
    // Once the last state is old, frames are drawn until both pictures are whole and the state can
    // be replaced. Otherwise save() would have to emulate them all again.
    const bool old = since_.size() >= kFramesBetweenStates;
    const bool drawn = seen || !Skips<TIA> || drawn_frames_left_ > 0 || old;
    if (old ? whole() : !drawn && start_.empty()) remember();
    if (!start_.empty()) since_.push_back(action);
    return play(action, drawn);
  }

  int play(int action, bool drawn) {
    set_drawing<TIA>(*ale_->environment, drawn);
    last_drawn_ = drawn;
    if (action != kNewGame) return ale_->act(static_cast<ale::Action>(action));
    ale_->reset_game();
    return 0;
  }

  /// Whether the current picture, and the older one that shows below a short frame, have all rows.
  [[nodiscard]] bool whole() const { return last_drawn_ && pictures_complete(*chip_); }

  void remember() {
    StateWriter writer;
    save(writer);
    start_ = writer.bytes();
    since_.clear();
    since_.reserve(kFramesBetweenStates);
  }

  void redraw() {
    if (start_.empty()) throw std::logic_error("AleConsole: a picture lacks rows of nowhere");
    StateReader reader(start_);
    load_ale(*ale_, reader);
    for (const int action : since_) play(action, true);
    start_.clear();
    since_.clear();
  }

  std::unique_ptr<ale::ALEInterface> ale_;
  TIA* chip_ = nullptr;
  bool last_drawn_ = true;
  std::vector<std::byte> start_;  // a state with whole pictures; empty: all frames were drawn
  std::vector<int> since_;        // actions since that state; kNewGame: a new game
  std::int64_t drawn_frames_left_ = 0;
  int redraws_ = 0;
};

}  // namespace

std::unique_ptr<Console> make_console(const std::filesystem::path& rom,
                                      const ConsoleOptions& options) {
  return std::make_unique<AleConsole>(rom, options);
}

std::string action_name(int action) {
  constexpr std::string_view kPlayer = "PLAYER_A_";
  return ale::action_to_string(static_cast<ale::Action>(action)).substr(kPlayer.size());
}

void silence() { ale::Logger::setMode(ale::Logger::Error); }

}  // namespace tandem::atari::TANDEM_EMULATOR
