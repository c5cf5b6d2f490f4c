// Plays games in the fast and the reference emulator side by side and compares everything visible:
// RAM, lives, rewards and ends after each frame, the screen of each step's last two frames, and the
// bytes of saved states.
//
// compare_emulators ROM_FOLDER STEPS [GAME]...
//
// Without a GAME it plays all games. It prints a line for each game, and exits with 1 if anything
// differed.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "console.h"
#include "roms.h"
#include "tandem/base/random.h"

namespace tandem::atari {
namespace {

constexpr int kFramesPerStep = 4;
constexpr int kFramesSeen = 2;  // the last frames of a step

std::vector<std::byte> state_of(Console& console) {
  StateWriter writer;
  console.save(writer);
  return writer.bytes();
}

void put_state(Console& console, const std::vector<std::byte>& state) {
  StateReader reader(state);
  console.load(reader);
}

std::vector<std::uint8_t> screen_of(Console& console) {
  const auto* pixels = console.screen();
  return {pixels, pixels + console.screen_bytes()};
}

/// Two consoles that should behave alike.
class Pair {
 public:
  Pair(const std::filesystem::path& rom, ConsoleOptions options) {
    options.emulator = "reference";
    reference_ = make_console(rom, options);
    options.emulator = "fast";
    options.simd = best_simd();
    fast_ = make_console(rom, options);
    actions_ = reference_->all_actions();
  }

  [[nodiscard]] Console& reference() { return *reference_; }

  /// Takes random steps; returns the first difference, if there is one.
  std::optional<std::string> play(int steps, Stream& stream) {
    for (int step = 0; step < steps; ++step) {
      const int action = actions_[stream.below(static_cast<std::uint32_t>(actions_.size()))];
      for (int frame = 0; frame < kFramesPerStep; ++frame) {
        const bool seen = frame >= kFramesPerStep - kFramesSeen;
        const auto difference = advance(action, seen);
        if (difference) return fmt::format("{} at step {}, frame {}", *difference, step, frame);
        if (ended()) break;
      }
      if (ended()) {
        if (screen_of(*reference_) != screen_of(*fast_))
          return fmt::format("last screen, {}", step);
        reference_->new_game();
        fast_->new_game(/*seen=*/step % 2 == 0);
      }
      if (stream.below(kStepsBetweenStates) != 0) continue;
      const auto state = state_of(*reference_);
      if (state != state_of(*fast_)) return fmt::format("saved states at step {}", step);
      put_state(*fast_, state);
      put_state(*reference_, state);
    }
    return std::nullopt;
  }

 private:
  static constexpr std::uint32_t kStepsBetweenStates = 700;

  bool ended() const { return reference_->over() || reference_->truncated(); }

  std::optional<std::string> advance(int action, bool seen) {
    const int reward = reference_->act(action);
    if (fast_->act(action, seen) != reward) return "reward";
    if (fast_->ram() != reference_->ram()) return "RAM";
    if (fast_->lives() != reference_->lives()) return "lives";
    if (fast_->over() != reference_->over() || fast_->truncated() != reference_->truncated()) {
      return "end of the game";
    }
    if (seen && screen_of(*fast_) != screen_of(*reference_)) return "screen";
    return std::nullopt;
  }

  std::unique_ptr<Console> reference_;
  std::unique_ptr<Console> fast_;
  std::vector<int> actions_;
};

/// Plays half of the steps as the papers do, and the rest with sticky actions in random modes and
/// difficulties. Returns the first difference, if there is one.
std::optional<std::string> compare(const std::filesystem::path& rom, int steps) {
  Stream stream(1, 0);
  Pair plain(rom, {.seed = 1});
  const auto modes = plain.reference().modes();
  const auto difficulties = plain.reference().difficulties();
  if (auto difference = plain.play(steps / 2, stream)) return difference;
  constexpr int kVariants = 4;
  for (int variant = 0; variant < kVariants; ++variant) {
    const auto any = [&](const std::vector<int>& choices) {
      return choices.empty() ? -1
                             : choices[stream.below(static_cast<std::uint32_t>(choices.size()))];
    };
    const ConsoleOptions options{.seed = variant,
                                 .sticky = 0.25,
                                 .max_frames = variant == 0 ? 1000 : 0,
                                 .mode = any(modes),
                                 .difficulty = any(difficulties)};
    const auto difference = Pair(rom, options).play(steps / (2 * kVariants), stream);
    if (!difference) continue;
    return fmt::format("mode {} difficulty {} sticky: {}", options.mode, options.difficulty,
                       *difference);
  }
  return std::nullopt;
}

int compare_all(const Roms& roms, int steps, const std::vector<std::string>& games) {
  int different = 0;
  for (const auto& game : games) {
    const auto difference = compare(roms.find(game), steps);
    fmt::print("{}: {}\n", game, difference ? "DIFFERENT " + *difference : "the same");
    std::fflush(stdout);
    different += difference ? 1 : 0;
  }
  fmt::print("{} games, {} steps each: {} different\n", games.size(), steps, different);
  return different == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace tandem::atari

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: compare_emulators ROM_FOLDER STEPS [GAME]...\n");
    return 2;
  }
  try {
    tandem::atari::silence_ale();
    const tandem::atari::Roms roms(argv[1]);
    const std::vector<std::string> named(argv + 3, argv + argc);
    return tandem::atari::compare_all(roms, std::atoi(argv[2]),
                                      named.empty() ? roms.names() : named);
  } catch (const std::exception& error) {
    fmt::print(stderr, "compare_emulators: {}\n", error.what());
    return 2;
  }
}
