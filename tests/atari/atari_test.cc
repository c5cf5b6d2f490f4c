// The rules by which the Atari plug-in plays games.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/env/family.h"
#include "tests/support/plugin_path.h"

namespace tandem {
namespace {

using Options = std::vector<std::pair<std::string, FieldValue>>;

// One game, its last frame and its last result.
struct Game {
  Game(const std::string& name, const Options& options, std::uint64_t seed = 1) : stream(seed, 0) {
    const auto family = find_family("atari:" + name);
    for (const auto& field : family->fields()) {
      for (const auto& [key, value] : options) {
        if (field.key == key) set_field(field, value);
      }
    }
    env = family->make(name, seed);
    frame.resize(env->spec().frame_bytes());
    reset();
  }

  void reset() { env->reset(stream, frame); }
  void step(int action) {
    result = env->step(std::array{Action{.discrete = action}}, stream, frame);
  }

  // Takes all actions in turn until an episode ends; returns the number of steps.
  int play_episode() {
    int steps = 0;
    do {
      step(steps % static_cast<int>(env->spec().num_actions));
      ++steps;
    } while (!result.terminated && !result.truncated);
    return steps;
  }

  Stream stream;
  std::unique_ptr<Env> env;
  std::vector<std::byte> frame;
  StepResult result;
};

const Options kNoNoops = {{"noop_max", std::int64_t{0}}};

TEST(Atari, PlaysPongToTheEnd) {
  Game game("Pong", {});
  float total = 0;
  int steps = 0;
  do {
    game.step(steps++ % 6);
    total += game.result.reward;
  } while (!game.result.game_over);
  EXPECT_TRUE(game.result.terminated);
  EXPECT_FALSE(game.result.truncated);
  EXPECT_GT(steps, 700);
  EXPECT_LE(total, -15);
}

TEST(Atari, DescribesPong) {
  const Game game("Pong", {});
  const auto& spec = game.env->spec();
  EXPECT_EQ(spec.dtype, DType::u8);
  EXPECT_EQ(spec.observation_shape(), (std::vector<std::int64_t>{4, 84, 84}));
  EXPECT_EQ(spec.action_names,
            (std::vector<std::string>{"NOOP", "FIRE", "RIGHT", "LEFT", "RIGHTFIRE", "LEFTFIRE"}));
  EXPECT_EQ(spec.frames_per_step, 4);
  EXPECT_EQ(spec.render_fps, 15);
  const auto picture = game.env->render();
  EXPECT_EQ(picture.width, 160);
  EXPECT_EQ(picture.height, 210);
  EXPECT_EQ(std::set<std::uint8_t>(picture.rgb.begin(), picture.rgb.end()).size() > 3, true);
}

TEST(Atari, HasAllActionsOnRequest) {
  const Game game("Freeway", {{"full_action_set", true}});
  EXPECT_EQ(game.env->spec().num_actions, 18);
  EXPECT_EQ(Game("Freeway", {}).env->spec().num_actions, 3);
}

// The cap counts the no-ops, too, so they shorten an episode of single frames.
TEST(Atari, StartsWithOneToNoopMaxNoops) {
  constexpr int kCap = 60;
  Game game("Pong", {{"frame_skip", std::int64_t{1}},
                     {"noop_max", std::int64_t{5}},
                     {"max_frames", std::int64_t{kCap}}});
  std::vector<int> count(6);
  for (int i = 0; i < 100; ++i) {
    const int noops = kCap - game.play_episode();
    ASSERT_TRUE(game.result.truncated && game.result.game_over && !game.result.terminated);
    ASSERT_GE(noops, 1);
    ASSERT_LE(noops, 5);
    ++count[static_cast<std::size_t>(noops)];
    game.reset();
  }
  for (int noops = 1; noops <= 5; ++noops) EXPECT_GE(count[static_cast<std::size_t>(noops)], 8);
}

TEST(Atari, PressesFireAtTheStart) {
  Options fire = kNoNoops;
  fire.emplace_back("fire_reset", true);
  const Game pressed("Breakout", fire);
  Game by_hand("Breakout", kNoNoops);
  EXPECT_NE(pressed.frame, by_hand.frame);
  by_hand.step(1);
  EXPECT_EQ(pressed.frame, by_hand.frame);
  // Freeway has no FIRE.
  EXPECT_EQ(Game("Freeway", fire).frame, Game("Freeway", kNoNoops).frame);
}

const Options kLives = {
    {"noop_max", std::int64_t{0}}, {"life_loss_terminal", true}, {"fire_reset", true}};

TEST(Atari, ALostLifeEndsTheEpisodeButNotTheGame) {
  Game game("Breakout", kLives);
  for (int life = 1; life <= 10; ++life) {
    game.play_episode();
    EXPECT_TRUE(game.result.terminated);
    EXPECT_FALSE(game.result.truncated);
    EXPECT_EQ(game.result.game_over, life % 5 == 0) << "life " << life;  // a game has 5 lives
    game.reset();
  }
}

TEST(Atari, AfterALostLifeTheSameGameGoesOn) {
  Options options = kLives;
  options.pop_back();
  Game game("Breakout", options);
  game.step(1);
  game.play_episode();
  // The second life of the game that goes on looks different from the first life of a new game.
  game.reset();
  const auto second_life = game.env->render().rgb;
  const auto first_life = Game("Breakout", options).env->render().rgb;
  EXPECT_NE(second_life, first_life);
}

// Breakout waits for FIRE, Pong does not. tests/atari/measure_game_facts.cc compares the whole
// table with the emulator.
TEST(Atari, FireIsPressedWhereTheGameNeedsIt) {
  const auto with = [](const std::string& game, const FieldValue& fire) {
    Options options = kNoNoops;
    options.emplace_back("fire_reset", fire);
    return Game(game, options).frame;
  };
  EXPECT_EQ(with("Breakout", "auto"), with("Breakout", true));
  EXPECT_NE(with("Breakout", "auto"), with("Breakout", false));
  EXPECT_EQ(with("Pong", "auto"), with("Pong", false));
  EXPECT_NE(with("Pong", "auto"), with("Pong", true));
}

TEST(Atari, ALostLifeEndsTheEpisodeInGamesThatHaveLives) {
  Options options = kLives;
  options[1].second = "auto";
  Game breakout("Breakout", options);
  breakout.play_episode();
  EXPECT_TRUE(breakout.result.terminated);
  EXPECT_FALSE(breakout.result.game_over);
  Game pong("Pong", options);
  pong.play_episode();
  EXPECT_TRUE(pong.result.game_over);
}

TEST(Atari, OptionsThatFollowTheGameTakeNoOtherWords) {
  EXPECT_THROW(Game("Pong", {{"fire_reset", "always"}}), Error);
  EXPECT_THROW(Game("Pong", {{"life_loss_terminal", std::int64_t{1}}}), Error);
}

// Seen failing when the results of reset's own steps were dropped.
TEST(Atari, AGameThatEndsInAStepOfTheResetIsReportedByTheNextStep) {
  Options options = kLives;
  Game scout("Breakout", options);
  const int steps = scout.play_episode();
  // The first FIRE and the episode fit under the cap, but the no-op after the lost life does not.
  options.emplace_back("max_frames", std::int64_t{4 * (1 + steps) + 2});
  Game game("Breakout", options);
  EXPECT_EQ(game.play_episode(), steps);
  EXPECT_FALSE(game.result.game_over);
  game.reset();
  const auto frame = game.frame;
  game.step(0);
  EXPECT_TRUE(game.result.truncated && game.result.game_over);
  EXPECT_EQ(game.frame, frame);
  game.reset();
  EXPECT_EQ(game.play_episode(), steps);
}

TEST(Atari, StickyActionsDependOnTheSeedAlone) {
  const auto play = [](std::uint64_t seed) {
    Game game("Pong", {{"noop_max", std::int64_t{0}}, {"sticky", 0.25}}, seed);
    std::vector<std::byte> seen;
    for (int i = 0; i < 100; ++i) {
      game.step(2 + i / 5 % 2);
      seen.insert(seen.end(), game.frame.begin(), game.frame.end());
    }
    return seen;
  };
  EXPECT_TRUE(play(1) == play(1));
  EXPECT_FALSE(play(1) == play(2));
}

TEST(Atari, RefusesAnActionThatTheGameLacks) {
  Game game("Pong", {});
  EXPECT_THROW(game.step(6), Error);
  EXPECT_THROW(game.step(-1), Error);
}

// A step that ends before its last frame shows the frame of the step before. Seen failing with the
// screens left out of the saved state.
TEST(Atari, ASavedGameThatIsCutShortShowsWhatItShowed) {
  constexpr int kSteps = 40;
  Options options = kNoNoops;
  options.emplace_back("max_frames", std::int64_t{4 * kSteps + 2});
  Game game("Pong", options);
  for (int i = 0; i < kSteps; ++i) game.step(2);
  StateWriter writer;
  game.env->save(writer);
  Game other("Pong", options);
  StateReader reader(writer.bytes());
  other.env->load(reader);
  for (auto* each : {&game, &other}) {
    const auto shown = game.frame;
    each->step(2);
    EXPECT_TRUE(each->result.truncated);
    EXPECT_EQ(each->frame, shown);
  }
}

TEST(Atari, RefusesAStateOfAnotherGame) {
  const Game pong("Pong", {});
  StateWriter writer;
  pong.env->save(writer);
  StateReader reader(writer.bytes());
  EXPECT_THROW(Game("Breakout", {}).env->load(reader), Error);
}

}  // namespace
}  // namespace tandem
