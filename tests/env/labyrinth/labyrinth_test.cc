#include "tandem/env/labyrinth/labyrinth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tandem/base/error.h"
#include "tandem/base/sha256.h"

namespace tandem::labyrinth {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A labyrinth that random actions play.
struct Game {
  explicit Game(const LabyrinthOptions& options, std::uint64_t seed = 1)
      : env(make_labyrinth(options)), stream(seed, 0), frame(env->spec().frame_bytes()) {
    env->reset(stream, frame);
  }

  StepResult step() {
    const Action action{.discrete = static_cast<std::int32_t>(actions.below(8))};
    return env->step(std::array{action}, stream, frame);
  }

  std::unique_ptr<Env> env;
  Stream stream;
  Stream actions{2, 0};
  std::vector<std::byte> frame;
};

// Seen failing with an end after 60 frames, and with a terminal one.
TEST(Labyrinth, AnEpisodeIsTruncatedAfterItsSeconds) {
  struct Case {
    std::int64_t seconds, repeat, steps;
  };
  for (const auto& [seconds, repeat, steps] : {Case{60, 4, 900}, {1, 4, 15}, {1, 7, 9}}) {
    Game game({.seconds = seconds, .repeat = repeat});
    for (std::int64_t step = 1; step < steps; ++step) ASSERT_FALSE(game.step().truncated);
    const auto last = game.step();
    EXPECT_TRUE(last.truncated && last.game_over);
    EXPECT_FALSE(last.terminated);
  }
}

// Frames and rewards are the same bits on every CPU, with every compiler. Seen failing with one
// colour of the apple changed by 1, and with a stride that is longer by one unit.
TEST(Labyrinth, FramesAndRewardsAreThoseOfTheFirstVersion) {
  Game game({});
  Sha256 hash;
  for (int step = 0; step < 1000; ++step) {
    const auto result = game.step();
    hash.add(game.frame);
    hash.add(std::as_bytes(std::span(&result.reward, 1)));
    if (result.truncated) game.env->reset(game.stream, game.frame);
  }
  EXPECT_EQ(hash.hex(), "98be824205fc748aa8ca51214e9c249211a5effa493aa58ca9ae03fac49f7f7d");
}

// Seen failing when held-out mazes came from the training's list.
TEST(Labyrinth, HeldOutMazesAreFixedAndNotThoseOfTraining) {
  const auto maze = [](const std::string& mazes, std::uint64_t seed) {
    const Game game({.mazes = mazes}, seed);
    StateWriter writer;
    game.env->save(writer);
    StateReader reader(writer.bytes());
    const auto number = reader.get<std::uint64_t>();
    return std::pair(reader.get<MazeSet>(), number);
  };
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto [set, number] = maze("held_out", seed);
    EXPECT_EQ(set, MazeSet::held_out);
    EXPECT_LT(number, kHeldOutMazes);
    EXPECT_EQ(maze("training", seed).first, MazeSet::training);
  }
}

// Seen failing without the checks of the list and of the frames.
TEST(Labyrinth, ADamagedStateIsRefused) {
  Game game({});
  for (int step = 0; step < 20; ++step) game.step();
  StateWriter writer;
  game.env->save(writer);
  const auto refuses = [&](std::size_t at, std::byte value) {
    auto bytes = writer.bytes();
    bytes[at] = value;
    StateReader reader(bytes);
    EXPECT_THROW(make_labyrinth({})->load(reader), Error) << at;
  };
  refuses(8, std::byte{2});                        // the list of mazes
  refuses(9 + 7, std::byte{0x80});                 // frames
  refuses(9 + 2, std::byte{1});                    // frames
  refuses(9 + 8 + 4, std::byte{1});                // the length of the path
  refuses(9 + 16 + 21 * 9 + 3, std::byte{0x40});   // the agent's column
  refuses(9 + 16 + 21 * 9 + 11, std::byte{0x40});  // its angle
}

std::string error_of(const LabyrinthOptions& options) {
  try {
    static_cast<void>(make_labyrinth(options));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// Seen failing without the check.
TEST(Labyrinth, MoreApplesThanFitAreRefused) {
  EXPECT_EQ(error_of({.maze = {.lanes = 3, .apples = 15}}), "no error");
  EXPECT_THAT(error_of({.maze = {.lanes = 3, .apples = 16}}),
              AllOf(HasSubstr("env.apples"), HasSubstr("at most 15")));
}

// Seen failing with a picture of the map alone.
TEST(Labyrinth, ThePictureShowsTheViewAndTheMap) {
  Game game({});
  const auto picture = game.env->render();
  ASSERT_GT(picture.width, 2 * picture.height - 30);
  // The middle pixel of the view, five times as large.
  const std::size_t at =
      (static_cast<std::size_t>(12 + 5 * 42 + 2) * picture.width + 12 + 5 * 42 + 2) * 3;
  constexpr std::size_t kPlane = 84 * 84;
  for (std::size_t plane = 0; plane < 3; ++plane) {
    EXPECT_EQ(picture.rgb[at + plane],
              static_cast<std::uint8_t>(game.frame[plane * kPlane + 42 * 84 + 42]));
  }
}

}  // namespace
}  // namespace tandem::labyrinth
