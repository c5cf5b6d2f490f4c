// One game of ViZDoom, whose engine runs in a process of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tandem::doom {

/// A control of a scenario. Value type.
struct Button {
  std::string name;    // "MOVE_LEFT"
  bool delta = false;  // turns or moves by an amount, instead of being pressed or not
};

/// The form of a game. Value type.
struct GameOptions {
  std::filesystem::path folder;        // where tools/build_doom.sh put the engine
  std::string scenario;                // "basic": a file of engine/vizdoom/scenarios without .cfg
  std::string resolution = "160x120";  // of the screen, one of the engine's
  bool depth = false;                  // whether there is a picture of distances
  std::string map = {};                // empty: the scenario's
  std::int64_t skill = 0;              // 1 to 5, 5 is the hardest; 0: the scenario's
};

/// The outcome of an action. Value type.
struct Outcome {
  double reward = 0;         // of all its tics, as the scenario gives it
  bool ended = false;        // the player died, or the map ended
  bool out_of_time = false;  // the scenario's time has passed
};

/// A game. The engine starts with the first call of start(), and ends with the game or with this
/// process. Every call but those of const members may throw Error when the engine has ended by
/// itself, or has not answered for a minute. Not thread-safe; separate games may be used by
/// separate threads.
class Game {
 public:
  /// Reads the scenario. Throws Error when a file is missing or the options are no good.
  explicit Game(GameOptions options);
  ~Game();
  Game(const Game&) = delete;
  Game& operator=(const Game&) = delete;

  /// The scenario's controls, in its order.
  [[nodiscard]] const std::vector<Button>& buttons() const { return buttons_; }

  /// Size of the screen in pixels.
  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }

  /// Starts an episode. The same seed and the same actions give the same episode, whatever was
  /// played before.
  void start(std::uint32_t seed);

  /// Holds the buttons for so many tics, of which a second has 35. `amounts` has a number for each
  /// of buttons(). The screen is drawn after the last one.
  Outcome act(std::span<const double> amounts, int tics);

  /// The screen after the last act() or start(): red, green and blue of each pixel. At the end of
  /// an episode the engine draws none, and this is the one before.
  [[nodiscard]] std::span<const std::uint8_t> screen() const { return screen_; }

  /// Distances, a byte for each pixel of the screen, likewise; empty without GameOptions::depth.
  [[nodiscard]] std::span<const std::uint8_t> distances() const { return distances_; }

 private:
  struct Engine;

  void configure();
  void launch();
  template <class Call>
  auto in_step(const Call& call);
  void take_pictures();
  void hold(std::span<const double> amounts);

  GameOptions options_;
  std::unique_ptr<Engine> engine_;
  std::vector<Button> buttons_;
  int width_ = 0;
  int height_ = 0;
  bool running_ = false;
  bool broken_ = false;      // an error may have left the engine out of step
  std::int64_t client_ = 0;  // the process that launched the engine; 0: none has
  std::vector<double> held_;
  std::vector<std::uint8_t> screen_;
  std::vector<std::uint8_t> distances_;
};

/// The scenarios in an engine's folder that one can play alone and whose data are there, in
/// alphabetical order. Throws Error
/// when there is no engine.
[[nodiscard]] std::vector<std::string> scenario_names(const std::filesystem::path& folder);

}  // namespace tandem::doom
