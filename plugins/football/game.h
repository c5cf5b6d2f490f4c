// One game of the engine.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scenario.h"
#include "tandem/env/env.h"

namespace tandem::football {

/// A point or a movement on the pitch. x runs from -1, the left team's goal line, to 1; y across
/// the pitch from -0.42 to 0.42; z is the height in metres. Value type.
struct Point {
  float x = 0;
  float y = 0;
  float z = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

/// A player as the engine reports it. Value type.
struct Footballer {
  Point position;
  Point movement;   // per step
  float tired = 0;  // 0: fresh, 1: exhausted
  bool booked = false;
  bool active = true;  // not sent off
  friend bool operator==(const Footballer&, const Footballer&) = default;
};

/// A team, by the numbers that the engine uses.
enum class Side : std::int32_t { nobody = -1, left = 0, right = 1 };

/// A game after a step, as the engine reports it. Value type.
struct Situation {
  static constexpr std::int32_t kNormalPlay = 0;  // of `mode`; any other: a kick-off, a corner ...

  Point ball;
  Point ball_movement;  // per step
  Point ball_rotation;  // radians per step
  std::vector<Footballer> left;
  std::vector<Footballer> right;
  std::vector<std::int32_t> controlled;    // by agent: the index of its player in `left`, or -1
  std::array<std::int32_t, 2> goals = {};  // of the left and of the right team
  std::int32_t mode = kNormalPlay;
  Side owner = Side::nobody;        // of the ball
  std::int32_t owning_player = -1;  // index in its team
  std::int32_t step = 0;            // of the episode
  bool in_play = false;             // agents can act
  friend bool operator==(const Situation&, const Situation&) = default;
};

/// The size of the engine's own pictures. Value type.
struct Camera {
  int width = 0;  // in pixels; 0: the engine draws nothing
  int height = 0;
};

/// The actions of the package's default set, in its order, by which agents name them.
std::span<const std::string> action_names();

/// A game in the engine. One thread at a time uses an instance, and games of different threads do
/// not affect each other. An error of the engine, such as missing data, is thrown as Error.
class Game {
 public:
  /// Starts the engine, which takes about a tenth of a second. `folder` holds its data. With a
  /// camera it draws by OpenGL through EGL, without a screen; throws Error where that is missing.
  explicit Game(const std::filesystem::path& folder, const Camera& camera = {});
  ~Game();
  Game(Game&&) = delete;
  Game& operator=(Game&&) = delete;

  /// Begins an episode and plays until agents can act. The left team's `agents` first controllers
  /// belong to agents. Equal arguments and actions give the same bits.
  void start(const Setup& setup, std::uint32_t seed, std::int64_t agents);

  /// Sets the action of one agent, an index into action_names(), for the steps to come: directions
  /// and sprinting stay until another action ends them.
  void act(std::int64_t agent, std::int32_t action);

  /// Plays a tenth of a second, and on until agents can act.
  void step();

  /// The present situation.
  [[nodiscard]] const Situation& situation() const { return situation_; }

  /// The view of the engine's camera, which follows the ball; only with a camera.
  [[nodiscard]] Picture draw() const;

  /// Everything on which the rest of the episode depends.
  [[nodiscard]] std::string save() const;

  /// Goes on as the game that saved the state. Before this, start() must have been called with the
  /// arguments of the other game. Throws Error when the state is damaged.
  void load(const std::string& state);

 private:
  class Engine;

  void observe();

  std::unique_ptr<Engine> engine_;
  Situation situation_;
};

}  // namespace tandem::football
