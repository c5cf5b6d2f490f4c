#include "tandem/env/labyrinth/labyrinth.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/env/labyrinth/map_picture.h"
#include "tandem/env/labyrinth/textures.h"
#include "tandem/env/labyrinth/view.h"
#include "tandem/env/labyrinth/world.h"

namespace tandem::labyrinth {
namespace {

constexpr std::int64_t kFramesPerSecond = 60;

struct NamedMotion {
  const char* name;
  Motion motion;
};

// The paper does not name its actions. These are the moves of its video: walking, and turning
// alone or while walking.
constexpr std::array kMotions{
    NamedMotion{"forward", {.forward = 1}},
    NamedMotion{"backward", {.forward = -1}},
    NamedMotion{"step left", {.sideways = -1}},
    NamedMotion{"step right", {.sideways = 1}},
    NamedMotion{"turn left", {.turn = -1}},
    NamedMotion{"turn right", {.turn = 1}},
    NamedMotion{"forward and left", {.forward = 1, .turn = -1}},
    NamedMotion{"forward and right", {.forward = 1, .turn = 1}},
};

EnvSpec spec_of(const LabyrinthOptions& options) {
  EnvSpec spec{
      .dtype = DType::u8,
      .frame_shape = {3, kViewSize, kViewSize},
      .stack = options.stack,
      .num_actions = std::ssize(kMotions),
      .frames_per_step = options.repeat,
      .render_fps = static_cast<double>(kFramesPerSecond) / static_cast<double>(options.repeat),
      .partially_observed = true};
  for (const auto& motion : kMotions) spec.action_names.emplace_back(motion.name);
  return spec;
}

class Labyrinth : public Env {
 public:
  explicit Labyrinth(const LabyrinthOptions& options)
      : options_(options),
        spec_(spec_of(options)),
        last_frame_(options.seconds * kFramesPerSecond) {
    const auto steps = (last_frame_ + options.repeat - 1) / options.repeat;
    path_.reserve(static_cast<std::size_t>(steps) + 1);
  }

  [[nodiscard]] const EnvSpec& spec() const override { return spec_; }

  void reset(Stream& stream, std::span<std::byte> frame) override {
    enter(draw_maze(stream));
    world_.place(stream);
    frames_ = 0;
    path_.clear();
    extend_path(/*begins=*/true);
    draw_view(world_, frame);
  }

  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frame) override {
    const auto& motion = kMotions[static_cast<std::size_t>(actions.front().discrete)].motion;
    std::int32_t reward = 0;
    bool placed = false;
    for (std::int64_t i = 0; i < options_.repeat && frames_ < last_frame_; ++i, ++frames_) {
      const auto event = world_.advance(motion, stream);
      reward += event.reward;
      placed = placed || event.entered_portal;
    }
    extend_path(placed);
    draw_view(world_, frame);
    // The agent does not see the time, so the end cuts the episode off: values bootstrap there.
    const bool over = frames_ == last_frame_;
    return {.reward = static_cast<float>(reward), .truncated = over, .game_over = over};
  }

  void save(StateWriter& writer) const override {
    writer.put(id_.number);
    writer.put(id_.set);
    writer.put(frames_);
    writer.put(static_cast<std::uint64_t>(path_.size()));
    for (const auto& point : path_) {
      writer.put(point.x);
      writer.put(point.y);
      writer.put(static_cast<std::uint8_t>(point.begins));
    }
    if (!path_.empty()) world_.save(writer);
  }

  void load(StateReader& reader) override {
    const auto number = reader.get<std::uint64_t>();
    const auto set = reader.get<std::uint8_t>();
    if (set > static_cast<std::uint8_t>(MazeSet::held_out)) throw Error(kDamagedState);
    enter({.set = static_cast<MazeSet>(set), .number = number});
    frames_ = reader.get<std::int64_t>();
    const auto points = reader.get<std::uint64_t>();
    if (frames_ < 0 || frames_ > last_frame_ || points > path_.capacity()) {
      throw Error(kDamagedState);
    }
    path_.clear();
    for (std::uint64_t i = 0; i < points; ++i) {
      const auto x = reader.get<Fixed>();
      const auto y = reader.get<Fixed>();
      path_.push_back({.x = x, .y = y, .begins = reader.get<std::uint8_t>() != 0});
    }
    if (!path_.empty()) world_.load(reader);
  }

  [[nodiscard]] Picture render() const override {
    return path_.empty() ? Picture{} : draw_map(world_, path_);
  }

 private:
  [[nodiscard]] MazeId draw_maze(Stream& stream) const {
    if (options_.mazes == "held_out") {
      return {.set = MazeSet::held_out, .number = stream.below(kHeldOutMazes)};
    }
    const std::uint64_t high = stream.bits();
    return {.set = MazeSet::training, .number = high << 32 | stream.bits()};
  }

  void enter(const MazeId& id) {
    id_ = id;
    world_ = World(make_maze(options_.maze, id));
  }

  void extend_path(bool begins) {
    path_.push_back({.x = world_.agent().x, .y = world_.agent().y, .begins = begins});
  }

  LabyrinthOptions options_;
  EnvSpec spec_;
  std::int64_t last_frame_;  // of an episode
  MazeId id_;
  World world_;
  std::int64_t frames_ = 0;     // of this episode
  std::vector<Waypoint> path_;  // of this episode; empty before the first one
};

}  // namespace

FieldList LabyrinthOptions::fields() {
  return {
      {.key = "maze_size",
       .target = &maze.lanes,
       .meaning = "labyrinth: corridors that fit side by side; a maze has twice as many cells and "
                  "one more on a side",
       .source = "not in A3C's paper, as all but the time and the repeat",
       .least = 3,
       .most = 31},
      {.key = "rooms",
       .target = &maze.rooms,
       .meaning = "labyrinth: rooms of a maze, as far as they fit",
       .least = 0,
       .most = 64},
      {.key = "loops",
       .target = &maze.loops,
       .meaning = "labyrinth: share of the walls that are opened besides those without which parts "
                  "of the maze could not be reached",
       .least = 0,
       .most = 1},
      {.key = "apples",
       .target = &maze.apples,
       .meaning = "labyrinth: apples in a maze",
       .least = 0,
       .most = static_cast<double>(kMostApples)},
      {.key = "textures",
       .target = &maze.textures,
       .meaning = "labyrinth: textures of the walls of a maze; with 1 its rooms look alike",
       .least = 1,
       .most = kWallTextures},
      {.key = "mazes",
       .target = &mazes,
       .meaning = "labyrinth: a new maze in each episode, or one of 100 that no training shows",
       .choices = {"training", "held_out"}},
      {.key = "seconds",
       .target = &seconds,
       .meaning = "labyrinth: seconds of an episode, each of 60 frames",
       .source = "A3C, section 5.2.4",
       .least = 1,
       .most = 3600},
      {.key = "repeat",
       .target = &repeat,
       .meaning = "labyrinth: frames in which an action is repeated",
       .source = "A3C, section 5.1: \"an action repeat of 4\", of Atari",
       .least = 1,
       .most = 60},
  };
}

std::unique_ptr<Env> make_labyrinth(const LabyrinthOptions& options) {
  const auto most = most_apples(options.maze.lanes);
  if (options.maze.apples > most) {
    throw Error(
        fmt::format("env.apples: {} do not fit into a maze with env.maze_size = {}; use at "
                    "most {}, or a larger maze",
                    options.maze.apples, options.maze.lanes, most));
  }
  return std::make_unique<Labyrinth>(options);
}

}  // namespace tandem::labyrinth
