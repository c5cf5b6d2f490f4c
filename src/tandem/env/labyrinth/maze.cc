#include "tandem/env/labyrinth/maze.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tandem/base/random.h"
#include "tandem/env/labyrinth/textures.h"

namespace tandem::labyrinth {
namespace {

// Lane (x, y) is the cell (2x + 1, 2y + 1). The cells between two lanes are walls or passages.

/// A room: a rectangle of lanes without walls between them.
struct Room {
  std::int32_t x, y, width, height;  // in lanes

  [[nodiscard]] bool overlaps(const Room& other) const {
    return x < other.x + other.width && other.x < x + width && y < other.y + other.height &&
           other.y < y + height;
  }
};

/// The wall between a lane and the next one to the right or below.
struct Wall {
  Cell lane;
  bool below;

  [[nodiscard]] Cell other() const { return {lane.x + (below ? 0 : 1), lane.y + (below ? 1 : 0)}; }
  [[nodiscard]] Cell cell() const {
    return {2 * lane.x + 1 + (below ? 0 : 1), 2 * lane.y + 1 + (below ? 1 : 0)};
  }
};

/// Sets of lanes that are connected.
class Connected {
 public:
  explicit Connected(std::int32_t lanes)
      : lanes_(lanes), parent_(static_cast<std::size_t>(lanes) * static_cast<std::size_t>(lanes)) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }

  /// Connects two lanes; false if they were connected before.
  bool join(Cell a, Cell b) {
    const auto from = root(a);
    const auto to = root(b);
    parent_[from] = to;
    return from != to;
  }

 private:
  std::size_t root(Cell lane) {
    auto at = static_cast<std::size_t>(lane.y) * static_cast<std::size_t>(lanes_) +
              static_cast<std::size_t>(lane.x);
    while (parent_[at] != at) at = parent_[at] = parent_[parent_[at]];
    return at;
  }

  std::int32_t lanes_;
  std::vector<std::size_t> parent_;
};

std::int32_t draw(Stream& stream, std::int64_t limit) {
  return static_cast<std::int32_t>(stream.below(static_cast<std::uint32_t>(limit)));
}

template <class T>
void shuffle(std::vector<T>& values, Stream& stream) {
  for (auto count = std::ssize(values); count > 1; --count) {
    std::swap(values[static_cast<std::size_t>(count - 1)],
              values[static_cast<std::size_t>(draw(stream, count))]);
  }
}

class MazeMaker {
 public:
  MazeMaker(const MazeOptions& options, Stream stream)
      : options_(options),
        lanes_(static_cast<std::int32_t>(options.lanes)),
        stream_(stream),
        connected_(lanes_) {
    maze_.size = 2 * lanes_ + 1;
    const auto cells = static_cast<std::size_t>(maze_.size) * static_cast<std::size_t>(maze_.size);
    maze_.walls.assign(cells, 1);
    maze_.surfaces.assign(cells, 0);
  }

  Maze make() {
    place_rooms();
    dig_rooms();
    dig_corridors();
    paint();
    place_objects();
    return std::move(maze_);
  }

 private:
  void dig(Cell cell) { maze_.walls[maze_.index(cell)] = 0; }

  /// Draws rooms of two or three lanes a side, and keeps those that overlap no other.
  void place_rooms() {
    constexpr int kTries = 20;
    const auto side = [&] { return 2 + draw(stream_, 2); };
    for (int attempt = 0; attempt < kTries * options_.rooms; ++attempt) {
      if (std::ssize(rooms_) == options_.rooms) return;
      Room room{.x = 0, .y = 0, .width = side(), .height = side()};
      room.x = draw(stream_, lanes_ - room.width + 1);
      room.y = draw(stream_, lanes_ - room.height + 1);
      if (std::ranges::none_of(rooms_, [&](const Room& it) { return it.overlaps(room); })) {
        rooms_.push_back(room);
      }
    }
  }

  void dig_rooms() {
    for (const auto& room : rooms_) {
      for (std::int32_t y = 2 * room.y + 1; y < 2 * (room.y + room.height); ++y) {
        for (std::int32_t x = 2 * room.x + 1; x < 2 * (room.x + room.width); ++x) dig({x, y});
      }
      for (std::int32_t y = room.y; y < room.y + room.height; ++y) {
        for (std::int32_t x = room.x; x < room.x + room.width; ++x) {
          connected_.join({room.x, room.y}, {x, y});
        }
      }
    }
  }

  /// Opens walls in random order where they part lanes not connected yet (Kruskal's algorithm),
  /// and a share of the other walls besides.
  void dig_corridors() {
    std::vector<Wall> walls;
    for (std::int32_t y = 0; y < lanes_; ++y) {
      for (std::int32_t x = 0; x < lanes_; ++x) {
        dig({2 * x + 1, 2 * y + 1});
        if (x + 1 < lanes_) walls.push_back({.lane = {x, y}, .below = false});
        if (y + 1 < lanes_) walls.push_back({.lane = {x, y}, .below = true});
      }
    }
    shuffle(walls, stream_);
    constexpr std::int32_t kAll = 1 << 16;
    const auto share = static_cast<std::int32_t>(options_.loops * kAll);
    for (const auto& wall : walls) {
      if (!maze_.wall(wall.cell())) continue;
      const bool loop = draw(stream_, kAll) < share;
      if (connected_.join(wall.lane, wall.other()) || loop) dig(wall.cell());
    }
  }

  /// Gives all corridors one texture of walls and one of floors, and each room another.
  void paint() {
    std::vector<std::int32_t> walls(kWallTextures);
    std::vector<std::int32_t> floors(kFloorTextures);
    std::iota(walls.begin(), walls.end(), kFirstWall);
    std::iota(floors.begin(), floors.end(), kFirstFloor);
    shuffle(walls, stream_);
    shuffle(floors, stream_);
    maze_.ceiling = kFirstCeiling + draw(stream_, kCeilingTextures);
    for (std::size_t at = 0; at < maze_.surfaces.size(); ++at) {
      maze_.surfaces[at] = maze_.walls[at] != 0 ? walls.front() : floors.front();
    }
    if (options_.textures == 1) return;
    const auto others = static_cast<std::size_t>(options_.textures) - 1;
    for (std::size_t room = 0; room < rooms_.size(); ++room) {
      paint_room(rooms_[room], walls[1 + room % others], floors[1 + room % (floors.size() - 1)]);
    }
  }

  void paint_room(const Room& room, std::int32_t wall, std::int32_t floor) {
    for (std::int32_t y = 2 * room.y; y <= 2 * (room.y + room.height); ++y) {
      for (std::int32_t x = 2 * room.x; x <= 2 * (room.x + room.width); ++x) {
        maze_.surfaces[maze_.index({x, y})] = maze_.wall({x, y}) ? wall : floor;
      }
    }
  }

  void place_objects() {
    for (std::int32_t y = 0; y < maze_.size; ++y) {
      for (std::int32_t x = 0; x < maze_.size; ++x) {
        if (!maze_.wall({x, y})) maze_.free.push_back({x, y});
      }
    }
    maze_.portal = take_free();
    for (std::int64_t apple = 0; apple < options_.apples; ++apple) {
      maze_.apples.push_back(take_free());
    }
  }

  Cell take_free() {
    auto& chosen = maze_.free[static_cast<std::size_t>(draw(stream_, std::ssize(maze_.free)))];
    const Cell cell = chosen;
    chosen = maze_.free.back();
    maze_.free.pop_back();
    return cell;
  }

  MazeOptions options_;
  std::int32_t lanes_;
  Stream stream_;
  Connected connected_;
  std::vector<Room> rooms_;
  Maze maze_;
};

}  // namespace

Maze make_maze(const MazeOptions& options, const MazeId& id) {
  // Each list of mazes has the streams of an id of its own, so that no maze of one is in the other
  // but by chance.
  constexpr std::uint64_t kLists = 0x6c61627972696e74;
  const Stream stream(id.number, kLists + static_cast<std::uint64_t>(id.set));
  return MazeMaker(options, stream).make();
}

std::uint64_t fingerprint(const Maze& maze) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, over numbers in place of bytes
  const auto add = [&](std::int64_t number) {
    hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x100000001b3;
  };
  for (const auto wall : maze.walls) add(wall);
  for (const auto surface : maze.surfaces) add(surface);
  add(maze.ceiling);
  for (const auto& apple : maze.apples) add(static_cast<std::int64_t>(maze.index(apple)));
  add(static_cast<std::int64_t>(maze.index(maze.portal)));
  return hash;
}

}  // namespace tandem::labyrinth
