// An agent in a maze: movement, walls, apples and the portal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tandem/base/random.h"
#include "tandem/base/state.h"
#include "tandem/env/labyrinth/fixed_point.h"
#include "tandem/env/labyrinth/maze.h"

namespace tandem::labyrinth {

/// The error of a state that cannot be loaded.
inline constexpr auto kDamagedState =
    "the saved state of a labyrinth is damaged, or from one with other options or of another "
    "version";

/// The place of an agent and the direction in which it looks.
struct Agent {
  Fixed x = 0;
  Fixed y = 0;
  std::int32_t angle = 0;  // in [0, kTurn)
};

/// The movement of one frame, of which each part is -1, 0 or 1.
struct Motion {
  std::int32_t forward = 0;
  std::int32_t sideways = 0;  // 1: to the right
  std::int32_t turn = 0;      // 1: to the right
};

/// The result of one frame.
struct Event {
  std::int32_t reward = 0;
  bool entered_portal = false;
};

/// The rules of A3C's section 5.2.4: an apple is worth 1 and is gone; the portal is worth 10, moves
/// the agent to a random place and brings all apples back. All numbers are integers. Not
/// thread-safe.
class World {
 public:
  /// The agent moves so far in a frame, and turns by so much. A second has 60 frames.
  static constexpr Fixed kStride = 3495;      // 0.053 cells, 3.2 a second
  static constexpr std::int32_t kTurned = 8;  // 2.8 degrees, 169 a second
  /// The agent is a square of twice this side.
  static constexpr Fixed kRadius = 13107;  // 0.2 cells
  /// It takes an object whose middle is nearer than this.
  static constexpr Fixed kReach = 26214;  // 0.4 cells
  static constexpr std::int32_t kAppleReward = 1;
  static constexpr std::int32_t kPortalReward = 10;

  /// A world whose agent stands on the first free floor.
  explicit World(Maze maze);

  /// Puts the agent on random free floor, with a random direction, and all apples back.
  void place(Stream& stream);
  /// Puts the agent there. It must not overlap a wall.
  void place(const Agent& agent);

  /// Turns, moves and takes an object in reach.
  Event advance(const Motion& motion, Stream& stream);

  [[nodiscard]] const Maze& maze() const { return maze_; }
  [[nodiscard]] const Agent& agent() const { return agent_; }
  /// Whether an apple of the maze is there to be taken.
  [[nodiscard]] bool ripe(std::size_t apple) const { return taken_[apple] == 0; }

  /// Writes the agent and the apples, without the maze.
  void save(StateWriter& writer) const;
  /// Reads what save() wrote in a world of the same maze. Throws Error when it is damaged, and then
  /// changes nothing.
  void load(StateReader& reader);

 private:
  void move(Fixed dx, Fixed dy);
  [[nodiscard]] bool blocked(Fixed x, Fixed y) const;

  Maze maze_;
  Agent agent_;
  std::vector<std::uint8_t> taken_;     // by apple
  std::vector<std::int16_t> contents_;  // by cell: kNothing, kPortalHere or the number of an apple
};

}  // namespace tandem::labyrinth
