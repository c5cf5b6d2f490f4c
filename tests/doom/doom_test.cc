// Doom by the contract of environments, its files and its states; vizdoom_oracle.py holds its games
// against Python's ViZDoom.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "doom_env.h"
#include "tests/conformance/env_conformance.h"
#include "tests/support/error_of.h"
#include "tests/support/plugin_path.h"
#include "tests/support/sanitizers.h"

namespace tandem {
namespace {

// ViZDoom's client allocates in every step.
constexpr int kAllSteps = 500;

// AddressSanitizer does not see the engine, which takes most of the time.
std::vector<EnvCase> doom_cases() {
  const EnvCase home{.id = "doom:my_way_home",
                     .options = {{"colours", "rgb"}, {"depth", "true"}, {"stack", "1"}},
                     .allocating_steps = kAllSteps};
  if (kAddressSanitizer) return {home};
  return {{.id = "doom:basic", .allocating_steps = kAllSteps},
          // Its floor moves on with each picture.
          {.id = "doom:health_gathering", .allocating_steps = kAllSteps},
          home};
}

INSTANTIATE_TEST_SUITE_P(Doom, EnvConformance, testing::ValuesIn(doom_cases()), case_name);

}  // namespace

namespace doom {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const fs::path kFolder = TANDEM_DOOM_FOLDER;

GameOptions basic() { return {.folder = kFolder, .scenario = "basic"}; }

std::vector<double> hold(const Game& game, std::size_t button) {
  std::vector<double> amounts(game.buttons().size());
  amounts[button] = 1;
  return amounts;
}

TEST(Scenarios, AreThoseWhoseDataTheEngineHas) {
  const auto names = scenario_names(kFolder);
  EXPECT_THAT(names, testing::IsSupersetOf({"basic", "deathmatch", "freedoom1", "my_way_home"}));
  EXPECT_THAT(names, testing::Not(testing::Contains("doom2")));  // its data are sold
}

TEST(Scenarios, UnknownOnesAndMissingEnginesAreErrorsThatSayWhatToDo) {
  const auto family = find_family("doom:basic");
  EXPECT_THAT(error_of([&] { (void)family->make("basick", 1); }),
              HasSubstr("did you mean 'basic'?"));
  EXPECT_THAT(error_of([&] { (void)scenario_names("/nowhere"); }),
              AllOf(HasSubstr("/nowhere"), HasSubstr("tandem install doom")));
  EXPECT_THAT(error_of([&] { Game({.folder = "/nowhere", .scenario = "basic"}); }),
              AllOf(HasSubstr("/nowhere"), HasSubstr("tandem install doom")));
}

// Seen failing by its time without the check: the engine waits for a map that is not there.
TEST(Scenarios, HaveMaps) {
  Game game({.folder = kFolder, .scenario = "freedoom1"});  // begins with e1m1, not with map01
  game.start(1);
  EXPECT_THAT(error_of([] { Game({.folder = kFolder, .scenario = "basic", .map = "map07"}); }),
              AllOf(HasSubstr("map07"), HasSubstr("it has map01")));
}

TEST(Actions, AreSetsOfButtonsAndBothWaysOfAmounts) {
  const std::vector<Button> buttons = {{"ATTACK"}, {"MOVE_LEFT"}, {"TURN_LEFT_RIGHT_DELTA", true}};
  const auto names = [&](std::int64_t together) {
    std::vector<std::string> names;
    for (const auto& action : make_actions(buttons, together, 5)) names.push_back(action.name);
    return names;
  };
  EXPECT_THAT(names(1), ElementsAre("none", "attack", "move_left", "turn_left_right_delta:+5",
                                    "turn_left_right_delta:-5"));
  EXPECT_THAT(names(3), ElementsAre("none", "attack", "move_left", "attack+move_left",
                                    "turn_left_right_delta:+5", "turn_left_right_delta:-5"));
  EXPECT_THAT(make_actions(buttons, 2, 5)[3].amounts, ElementsAre(1, 1, 0));
  EXPECT_THAT(make_actions(buttons, 1, 5)[4].amounts, ElementsAre(0, 0, -5));
  const std::vector<Button> many(20, Button{"ATTACK"});
  EXPECT_THAT(error_of([&] { (void)make_actions(many, 20, 5); }), HasSubstr("env.buttons"));
}

// Saved states rest on this: load() plays the episode again in a game that has played others.
TEST(GameTest, AnEpisodeDoesNotDependOnThoseBeforeIt) {
  Game first(basic());
  Game second(basic());
  second.start(5);
  while (!second.act(hold(second, 2), 4).ended && !second.act(hold(second, 0), 4).out_of_time) {
  }
  first.start(7);
  second.start(7);
  for (std::size_t step = 0; step < 40; ++step) {
    EXPECT_TRUE(std::ranges::equal(first.screen(), second.screen())) << step;
    const auto amounts = hold(first, step % 3);
    EXPECT_EQ(first.act(amounts, 4).reward, second.act(amounts, 4).reward) << step;
  }
}

/// A folder like the engine's, without one of its files.
fs::path without(const fs::path& missing) {
  const auto folder = fs::path(testing::TempDir()) / "broken doom";
  fs::remove_all(folder);
  for (const auto& entry : fs::recursive_directory_iterator(kFolder)) {
    const auto name = entry.path().lexically_relative(kFolder);
    if (entry.is_directory()) {
      fs::create_directories(folder / name);
    } else if (name != missing) {
      fs::create_symlink(fs::absolute(entry.path()), folder / name);
    }
  }
  return folder;
}

// Seen failing without the checks of the two programs and of the engine's own data.
TEST(GameTest, ABrokenInstallationIsAnErrorThatSaysWhatToDo) {
  for (const char* missing :
       {"bin/doom_supervisor", "engine/vizdoom/vizdoom", "engine/vizdoom/vizdoom.pk3",
        "engine/vizdoom/freedoom2.wad", "engine/vizdoom/scenarios/basic.wad"}) {
    const auto folder = without(missing);
    EXPECT_THAT(error_of([&] { Game({.folder = folder, .scenario = "basic"}); }),
                AllOf(HasSubstr(missing), HasSubstr("tandem install doom")));
  }
  const auto folder = without("engine/vizdoom/scenarios/basic.cfg");
  std::ofstream(folder / "engine/vizdoom/scenarios/basic.cfg") << "living_reward = -1\n";
  EXPECT_THAT(error_of([&] { Game({.folder = folder, .scenario = "basic"}); }),
              AllOf(HasSubstr("damaged"), HasSubstr("tandem install doom")));
}

// Basic lasts 300 tics, if its monster is not hit. Seen failing with an end of the time that
// terminates.
TEST(DoomEnvironment, TheEndOfTheTimeTruncates) {
  DoomEnv env(kFolder, "basic", {});
  Stream stream(1, 0);
  std::vector<std::byte> frame(env.spec().frame_bytes());
  env.reset(stream, frame);
  const std::vector<Action> none = {Action{.discrete = 0}};
  StepResult result;
  for (int step = 0; step < 100 && !result.game_over; ++step)
    result = env.step(none, stream, frame);
  EXPECT_TRUE(result.game_over && result.truncated && !result.terminated);
}

std::vector<std::byte> state_of(const DoomEnv& env) {
  StateWriter writer;
  env.save(writer);
  return writer.bytes();
}

// Seen failing when load() took over what it had not checked, and without the check of the game.
TEST(DoomEnvironment, ADamagedStateAndOneOfAnotherGameChangeNothing) {
  DoomEnv env(kFolder, "basic", {});
  Stream stream(1, 0);
  std::vector<std::byte> frame(env.spec().frame_bytes());
  env.reset(stream, frame);
  const std::vector<Action> attack = {Action{.discrete = 3}};
  (void)env.step(attack, stream, frame);
  const auto before = state_of(env);
  StateReader words(before);
  StateWriter writer;
  writer.put_string(words.get_string());
  writer.put(std::uint8_t{1});
  writer.put(std::uint32_t{7});
  writer.put_values(std::vector<std::uint16_t>{99});
  StateReader damaged(writer.bytes());
  EXPECT_THAT(error_of([&] { env.load(damaged); }), HasSubstr("damaged"));
  for (std::size_t length = 0; length < before.size(); ++length) {
    StateReader cut{std::span(before).first(length)};
    EXPECT_NE(error_of([&] { env.load(cut); }), "") << length;
  }
  const auto of_other = state_of(DoomEnv(kFolder, "basic", {.frame_skip = 2}));
  StateReader other(of_other);
  EXPECT_THAT(error_of([&] { env.load(other); }), HasSubstr("frame_skip=2"));
  EXPECT_EQ(state_of(env), before);
}

// At the end the engine draws nothing. Seen failing when load() drew the last step alone.
TEST(DoomEnvironment, AStateOfTheEndHasTheLastPicture) {
  DoomEnv env(kFolder, "basic", {.frame_skip = 60});
  Stream stream(1, 0);
  std::vector<std::byte> frame(env.spec().frame_bytes());
  env.reset(stream, frame);
  const std::vector<Action> left = {Action{.discrete = 1}};
  while (!env.step(left, stream, frame).game_over) {
  }
  DoomEnv other(kFolder, "basic", {.frame_skip = 60});
  const auto bytes = state_of(env);
  StateReader reader(bytes);
  other.load(reader);
  EXPECT_EQ(other.render().rgb, env.render().rgb);
}

TEST(DoomEnvironment, ObservationsAreNotLargerThanTheScreen) {
  EXPECT_THAT(error_of([&] { DoomEnv(kFolder, "basic", {.width = 200}); }),
              HasSubstr("env.resolution"));
  const DoomEnv env(kFolder, "basic", {.colours = "rgb", .depth = true, .width = 0, .height = 0});
  EXPECT_THAT(env.spec().frame_shape, ElementsAre(4, 120, 160));
}

}  // namespace
}  // namespace doom
}  // namespace tandem
