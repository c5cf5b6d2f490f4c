#include "tandem/env/labyrinth/labyrinth.h"

#include <fmt/format.h>

#include <array>
#include <utility>
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

/// An episode: its maze, the world in it, the frames that are over and the agent's path.
struct Episode {
  MazeId id;
  World world;
  std::int64_t frames = 0;
  std::vector<Waypoint> path = {};  // a point for the start and for each step; empty before reset()
};

MazeSet set_of(const LabyrinthOptions& options) {
  return options.mazes == "held_out" ? MazeSet::held_out : MazeSet::training;
}

class Labyrinth : public Env {
 public:
  explicit Labyrinth(const LabyrinthOptions& options)
      : options_(options),
        spec_(spec_of(options)),
        last_frame_(options.seconds * kFramesPerSecond),
        now_(new_episode({.set = set_of(options)})) {}

  [[nodiscard]] const EnvSpec& spec() const override { return spec_; }

  void reset(Stream& stream, std::span<std::byte> frame) override {
    now_ = new_episode(draw_maze(stream));
    now_.world.place(stream);
    extend_path(/*begins=*/true);
    draw_view(now_.world, frame);
  }

  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frame) override {
    const auto& motion = kMotions[static_cast<std::size_t>(actions.front().discrete)].motion;
    std::int32_t reward = 0;
    bool placed = false;
    for (std::int64_t i = 0; i < options_.repeat && now_.frames < last_frame_; ++i, ++now_.frames) {
      const auto event = now_.world.advance(motion, stream);
      reward += event.reward;
      placed = placed || event.entered_portal;
    }
    extend_path(placed);
    draw_view(now_.world, frame);
    // The agent does not see the time, so the end cuts the episode off: values bootstrap there.
    const bool over = now_.frames == last_frame_;
    return {.reward = static_cast<float>(reward), .truncated = over, .game_over = over};
  }

  void save(StateWriter& writer) const override {
    writer.put(now_.id.number);
    writer.put(now_.id.set);
    writer.put(fingerprint(now_.world.maze()));
    writer.put(now_.frames);
    writer.put(static_cast<std::uint64_t>(now_.path.size()));
    for (const auto& point : now_.path) {
      writer.put(point.x);
      writer.put(point.y);
      writer.put(static_cast<std::uint8_t>(point.begins));
    }
    now_.world.save(writer);
  }

  void load(StateReader& reader) override {
    const auto number = reader.get<std::uint64_t>();
    const auto set = reader.get<std::uint8_t>();
    const auto own = set_of(options_);
    if (set != static_cast<std::uint8_t>(own) ||
        (own == MazeSet::held_out && number >= kHeldOutMazes)) {
      throw Error(kDamagedState);
    }
    auto loaded = new_episode({.set = static_cast<MazeSet>(set), .number = number});
    if (reader.get<std::uint64_t>() != fingerprint(loaded.world.maze())) {
      throw Error(kDamagedState);
    }
    loaded.frames = reader.get<std::int64_t>();
    const auto points = reader.get<std::uint64_t>();
    const bool before_reset = loaded.frames == 0 && points == 0;
    if (loaded.frames < 0 || loaded.frames > last_frame_ ||
        (points != points_after(loaded.frames) && !before_reset)) {
      throw Error(kDamagedState);
    }
    for (std::uint64_t i = 0; i < points; ++i) {
      const auto x = reader.get<Fixed>();
      const auto y = reader.get<Fixed>();
      loaded.path.push_back({.x = x, .y = y, .begins = reader.get<std::uint8_t>() != 0});
    }
    loaded.world.load(reader);
    now_ = std::move(loaded);
  }

  [[nodiscard]] Picture render() const override {
    return now_.path.empty() ? Picture{} : draw_map(now_.world, now_.path);
  }

 private:
  [[nodiscard]] MazeId draw_maze(Stream& stream) const {
    if (set_of(options_) == MazeSet::held_out) {
      return {.set = MazeSet::held_out, .number = stream.below(kHeldOutMazes)};
    }
    const std::uint64_t high = stream.bits();
    return {.set = MazeSet::training, .number = high << 32 | stream.bits()};
  }

  /// The points of a path after so many frames.
  [[nodiscard]] std::uint64_t points_after(std::int64_t frames) const {
    return static_cast<std::uint64_t>((frames + options_.repeat - 1) / options_.repeat + 1);
  }

  /// An episode before its agent is placed, with room for its whole path.
  [[nodiscard]] Episode new_episode(const MazeId& id) const {
    Episode episode{.id = id, .world = World(make_maze(options_.maze, id))};
    episode.path.reserve(points_after(last_frame_));
    return episode;
  }

  void extend_path(bool begins) {
    const auto& agent = now_.world.agent();
    now_.path.push_back({.x = agent.x, .y = agent.y, .begins = begins});
  }

  LabyrinthOptions options_;
  EnvSpec spec_;
  std::int64_t last_frame_;  // of an episode
  Episode now_;
};

}  // namespace

FieldList LabyrinthOptions::fields() {
  return {
      {.key = "maze_size",
       .target = &maze.lanes,
       .meaning = "labyrinth: corridors that fit side by side; a maze has twice as many cells and "
                  "one more on a side",
       .source = "not in A3C's paper, which gives the time and the rewards alone",
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
       .meaning = "labyrinth: a new maze in each episode, or one of 100 fixed ones, from a list of "
                  "their own",
       .choices = {"training", "held_out"}},
      {.key = "seconds",
       .target = &seconds,
       .meaning = "labyrinth: seconds of an episode, each of 60 frames, a rate of our own",
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
