// The environment labyrinth, the task of A3C's section 5.2.4.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tandem/base/field.h"
#include "tandem/env/env.h"
#include "tandem/env/labyrinth/maze.h"

namespace tandem::labyrinth {

/// Options of the labyrinth, of which the paper gives `seconds` alone. Value type; fields() has the
/// range of each.
struct LabyrinthOptions {
  MazeOptions maze = {};
  std::string mazes = "training";  // or held_out
  std::int64_t seconds = 60;       // of an episode; a second has 60 frames
  std::int64_t repeat = 4;         // frames in a step
  std::int64_t stack = 1;

  /// All but `stack`.
  FieldList fields();
};

/// The mazes of `mazes = held_out`, of which each episode shows one.
inline constexpr std::uint32_t kHeldOutMazes = 100;

/// An agent looks for apples (reward 1) and the portal (reward 10) in a maze, by its view:
/// frames are {3, 84, 84} u8. Each episode has a maze of its own; it is truncated when its time is
/// over. Throws Error for more apples than fit; every other option must be in its range.
[[nodiscard]] std::unique_ptr<Env> make_labyrinth(const LabyrinthOptions& options);

}  // namespace tandem::labyrinth
