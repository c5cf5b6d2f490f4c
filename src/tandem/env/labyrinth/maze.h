// A maze of rooms and corridors, with its apples and its portal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tandem::labyrinth {

/// A cell of a maze: its column and its row.
struct Cell {
  std::int32_t x = 0;
  std::int32_t y = 0;

  bool operator==(const Cell&) const = default;
};

/// A square of cells, each of them wall or floor. The cells at the border are walls. Value type.
struct Maze {
  std::int32_t size = 0;                    // cells on a side
  std::vector<std::uint8_t> walls = {};     // by index(): 1 for a wall, 0 for floor
  std::vector<std::int32_t> surfaces = {};  // by index(): the texture of the wall or of the floor
  std::int32_t ceiling = 0;                 // the texture over all floors
  std::vector<Cell> apples = {};
  Cell portal = {};
  std::vector<Cell> free = {};  // floor without an apple or the portal

  /// The place of a cell in the lists of all cells, row by row.
  [[nodiscard]] std::size_t index(Cell cell) const {
    return static_cast<std::size_t>(cell.y) * static_cast<std::size_t>(size) +
           static_cast<std::size_t>(cell.x);
  }
  /// Whether a cell is a wall. The cell must lie in the maze.
  [[nodiscard]] bool wall(Cell cell) const { return walls[index(cell)] != 0; }
};

/// The lists of mazes: one for training, and another for evaluation. They share a maze by chance
/// alone, which only very small mazes have.
enum class MazeSet : std::uint8_t { training, held_out };

/// The name of a maze: its list and its number there. Any number names a maze.
struct MazeId {
  MazeSet set = MazeSet::training;
  std::uint64_t number = 0;

  bool operator==(const MazeId&) const = default;
};

/// The kind of mazes to make. Value type.
struct MazeOptions {
  std::int64_t lanes = 7;     // corridors that fit side by side
  std::int64_t rooms = 4;     // to place, as far as they fit
  double loops = 0.15;        // share of the walls opened beyond those that connect the maze
  std::int64_t apples = 8;    // at most kMostApples and most_apples(lanes)
  std::int64_t textures = 5;  // of walls in one maze, at most kWallTextures
};

/// The most apples of a maze, whatever its size.
inline constexpr std::int64_t kMostApples = 64;

/// The apples that fit into every maze of so many lanes, with a portal and a place to start.
constexpr std::int64_t most_apples(std::int64_t lanes) { return 2 * lanes * lanes - 3; }

/// The maze of that name, the same one each time. All floor is connected. Allocates; thread-safe.
[[nodiscard]] Maze make_maze(const MazeOptions& options, const MazeId& id);

/// A number that tells mazes with different walls, textures, apples or portals apart, but for one
/// case in 2^64. Thread-safe.
[[nodiscard]] std::uint64_t fingerprint(const Maze& maze);

}  // namespace tandem::labyrinth
