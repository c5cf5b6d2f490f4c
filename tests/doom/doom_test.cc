// Doom by the contract of environments, and its engine's processes; vizdoom_oracle.py holds its
// games against Python's ViZDoom.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "doom_env.h"
#include "tests/conformance/env_conformance.h"
#include "tests/support/error_of.h"
#include "tests/support/plugin_path.h"

namespace tandem {
namespace {

// ViZDoom's client allocates in every step.
constexpr int kAllSteps = 500;

INSTANTIATE_TEST_SUITE_P(
    Doom, EnvConformance,
    testing::Values(EnvCase{.id = "doom:basic", .allocating_steps = kAllSteps},
                    EnvCase{.id = "doom:my_way_home",
                            .options = {{"colours", "rgb"}, {"depth", "true"}, {"stack", "1"}},
                            .allocating_steps = kAllSteps}),
    case_name);

}  // namespace

namespace doom {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const fs::path kFolder = TANDEM_DOOM_FOLDER;

GameOptions basic() { return {.folder = kFolder, .scenario = "basic"}; }

/// The words of a process; empty if it has ended.
std::string words_of(const fs::path& process) {
  std::ifstream file(process / "cmdline", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The processes of engines and supervisors of the games of a process.
std::vector<pid_t> engines_of(pid_t client) {
  std::vector<pid_t> found;
  std::string supervisor = "-tandem_client" + std::string(1, '\0') + std::to_string(client);
  supervisor += '\0';
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const auto name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (words_of(entry.path()).find(supervisor) == std::string::npos) continue;
    const auto pid = static_cast<pid_t>(std::stol(name));
    found.push_back(pid);
    std::ifstream children("/proc/" + name + "/task/" + name + "/children");
    for (pid_t child = 0; children >> child;) found.push_back(child);
  }
  return found;
}

bool alive(pid_t process) { return !words_of("/proc/" + std::to_string(process)).empty(); }

/// Whether all of them end within ten seconds.
bool all_end(const std::vector<pid_t>& processes) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    if (std::ranges::none_of(processes, alive)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// The files of an engine, which nobody else removes when both sides are killed: its folder, and
/// its shared memory and queues, whose names end with the value of +viz_instance_id.
std::vector<fs::path> files_of(pid_t engine) {
  const auto process = fs::path("/proc") / std::to_string(engine);
  const auto words = words_of(process);
  const std::string key = std::string("+viz_instance_id") + '\0';
  const auto begin = words.find(key) + key.size();
  const auto instance = words.substr(begin, words.find('\0', begin) - begin);
  std::vector<fs::path> files = {fs::read_symlink(process / "cwd")};
  for (const char* name : {"ViZDoomSM", "ViZDoomMQCtr", "ViZDoomMQDoom"}) {
    files.push_back(fs::path("/dev/shm") / (name + instance));
  }
  return files;
}

bool exists(const fs::path& file) { return fs::exists(file); }

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

TEST(GameTest, LeavesNoProcessAndNoFile) {
  std::vector<pid_t> engines;
  std::vector<fs::path> files;
  {
    Game game(basic());
    game.start(1);
    engines = engines_of(getpid());
    ASSERT_EQ(engines.size(), 2);  // the supervisor and its engine
    files = files_of(engines[1]);
    EXPECT_TRUE(std::ranges::all_of(files, exists));
  }
  EXPECT_TRUE(all_end(engines));
  EXPECT_TRUE(std::ranges::none_of(files, exists));
}

// Seen failing without PR_SET_PDEATHSIG in the supervisor, and without its removal of files.
TEST(GameTest, LeavesNothingWhenItsClientIsKilled) {
  std::array<int, 2> ready{};
  ASSERT_EQ(pipe(ready.data()), 0);
  const auto client = fork();
  if (client == 0) {
    Game game(basic());
    game.start(1);
    if (write(ready[1], "!", 1) == 1) pause();
    _exit(1);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  const auto engines = engines_of(client);
  ASSERT_EQ(engines.size(), 2);
  const auto files = files_of(engines[1]);
  EXPECT_TRUE(std::ranges::all_of(files, exists));
  kill(client, SIGKILL);
  waitpid(client, nullptr, 0);
  EXPECT_TRUE(all_end(engines));
  EXPECT_TRUE(std::ranges::none_of(files, exists));
}

// Seen waiting for ever when nobody released the locks that a killed engine held (client.patch).
TEST(GameTest, AKilledEngineIsAnError) {
  for (const std::size_t victim : {0U, 1U}) {
    Game game(basic());
    game.start(1);
    const auto engines = engines_of(getpid());
    ASSERT_EQ(engines.size(), 2);
    kill(engines[victim], SIGKILL);
    const auto said = error_of([&] {
      for (int step = 0; step < 1000; ++step) game.act(hold(game, 0), 4);
      game.start(2);
    });
    EXPECT_THAT(said, HasSubstr("engine")) << victim;
    EXPECT_TRUE(all_end(engines)) << victim;
  }
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

TEST(DoomEnvironment, ADamagedStateIsAnError) {
  DoomEnv env(kFolder, "basic", {});
  StateWriter writer;
  writer.put(std::uint8_t{1});
  writer.put(std::uint32_t{7});
  writer.put_values(std::vector<std::uint16_t>{99});
  StateReader reader(writer.bytes());
  EXPECT_THAT(error_of([&] { env.load(reader); }), HasSubstr("damaged"));
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
