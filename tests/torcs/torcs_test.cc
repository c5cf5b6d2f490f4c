// TORCS by the contract of environments, its rewards and ends, and its races' processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/conformance/env_conformance.h"
#include "tests/support/error_of.h"
#include "tests/support/eventually.h"
#include "tests/support/plugin_path.h"
#include "tests/support/sanitizers.h"
#include "torcs_env.h"

namespace tandem {
namespace {

// AddressSanitizer does not see the races, which take most of the time.
std::vector<EnvCase> torcs_cases() {
  if (kAddressSanitizer) return {{.id = "torcs:slow_car"}};
  return {{.id = "torcs:slow_car"},
          {.id = "torcs:fast_car_bots",
           .options = {{"track", "aalborg"}, {"seconds", "5"}, {"stack", "2"}}}};
}

INSTANTIATE_TEST_SUITE_P(Torcs, EnvConformance, testing::ValuesIn(torcs_cases()), case_name);

}  // namespace

namespace torcs {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

const fs::path kFolder = TANDEM_TORCS_FOLDER;
constexpr std::int32_t kGas = 0;
constexpr std::int32_t kRoll = 3;
constexpr std::int32_t kBrake = 6;

const Track kTrack = {"g-track-1", "road"};

RaceOrder slow_car() { return make_order(kTrack, "p406"); }

/// The processes of races that a process has started.
std::vector<pid_t> races_of(pid_t trainer) {
  std::vector<pid_t> found;
  for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(trainer) + "/task")) {
    std::ifstream children(task.path() / "children");
    for (pid_t child = 0; children >> child;) found.push_back(child);
  }
  return found;
}

/// Whether a process ends soon.
bool ends(pid_t process) {
  return eventually([&] {
    std::ifstream file("/proc/" + std::to_string(process) + "/cmdline", std::ios::binary);
    return file.peek() == std::ifstream::traits_type::eof();
  });
}

/// An environment and its memory for observations.
struct Drive {
  explicit Drive(const TorcsOptions& options = {}, const Setting& setting = settings()[0])
      : env(kFolder, setting, options), frame(env.spec().frame_bytes()) {
    env.reset(stream, frame);
  }

  StepResult step(std::int32_t action) {
    const std::array<Action, 1> actions = {Action{.discrete = action}};
    return env.step(actions, stream, frame);
  }

  Stream stream{1, 2};
  TorcsEnv env;
  std::vector<std::byte> frame;
};

TEST(RaceTest, EveryTrackAndCarDrives) {
  for (const auto& track : tracks_in(kFolder)) {
    auto order = make_order(track, "p406");
    order.robot = 1;
    RaceProcess race(kFolder, order);
    EXPECT_GT(race.drive({.turns = 250}).metres, 10) << track.name;
  }
  for (const auto& car : cars_in(kFolder)) {
    RaceProcess race(kFolder, make_order(kTrack, car));
    EXPECT_GT(race.drive({.throttle = 1, .turns = 250}).metres, 10) << car;
  }
}

// Seen failing with a grid that began as far from the start as the round is long: TORCS looked for
// its place until it was ended.
TEST(RaceTest, StartsAnywhereWithAllItsOpponents) {
  for (const double place : {0.0, 0.5, 0.9999, 1.0}) {
    auto order = slow_car();
    order.place = place;
    order.opponents = 9;
    RaceProcess race(kFolder, order);
    EXPECT_EQ(race.drive({.turns = 5}).out, 0) << place;
  }
}

/// The metres along the road, and those that the car's speed makes.
std::pair<double, double> way_of(RaceProcess& race, const DrivingOrder& order, int turns) {
  std::pair<double, double> way;
  for (int turn = 0; turn < turns; ++turn) {
    const auto report = race.drive(order);
    way.first += report.metres;
    way.second += report.speed * kTurnSeconds;
  }
  return way;
}

// Seen failing with the car's own speed in the place of that along the road.
TEST(RaceTest, RewardsAreMetresAlongTheRoad) {
  RaceProcess race(kFolder, slow_car());
  race.drive({.throttle = 1, .turns = 100});
  const auto straight = way_of(race, {.throttle = 1}, 50);
  EXPECT_GT(straight.first, 5);
  EXPECT_NEAR(straight.first, straight.second, 0.01 * straight.second);
  race.drive({.steering = 1, .throttle = 1, .turns = 50});
  const auto askew = way_of(race, {.throttle = 1}, 20);
  EXPECT_LT(askew.first, 0.95 * askew.second);
}

TEST(RaceTest, AProcessThatSomebodyKilledIsAnError) {
  RaceProcess race(kFolder, slow_car());
  const auto processes = races_of(getpid());
  ASSERT_EQ(processes.size(), 1);
  kill(processes[0], SIGKILL);
  const auto said = error_of([&] {
    for (int turn = 0; turn < 1000; ++turn) race.drive({});
  });
  EXPECT_THAT(said, AllOf(HasSubstr("signal 9"), HasSubstr("--resume")));
}

TEST(RaceTest, LeavesNoProcess) {
  std::vector<pid_t> processes;
  {
    RaceProcess race(kFolder, slow_car());
    processes = races_of(getpid());
    ASSERT_EQ(processes.size(), 1);
  }
  EXPECT_TRUE(ends(processes[0]));
  EXPECT_TRUE(races_of(getpid()).empty());
}

/// A folder whose program of races is this script.
class FalseHost {
 public:
  explicit FalseHost(const std::string& script)
      : folder_(fs::temp_directory_path() / ("tandem_torcs_" + std::to_string(getpid()))) {
    fs::create_directories(folder_ / "bin");
    const auto program = folder_ / "bin/torcs_host";
    std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(program, fs::perms::owner_all);
  }
  ~FalseHost() { fs::remove_all(folder_); }
  FalseHost(const FalseHost&) = delete;
  FalseHost& operator=(const FalseHost&) = delete;
  [[nodiscard]] const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

TEST(RaceTest, AProgramOfAnotherVersionIsAnError) {
  const FalseHost other("printf 'eight by' >&3; sleep 1");
  EXPECT_THAT(error_of([&] { RaceProcess race(other.folder(), slow_car()); }),
              AllOf(HasSubstr("another version"), HasSubstr("tandem install torcs --force")));
  const FalseHost broken("exit 3");
  EXPECT_THAT(error_of([&] { RaceProcess race(broken.folder(), slow_car()); }),
              HasSubstr("ended with status 3"));
}

// Seen failing when TORCS's clock called the robot, in the last of a turn's ten steps.
TEST(RaceTest, AnActionActsAtOnce) {
  std::vector<double> speeds;
  for (const float brake : {0.0F, 1.0F}) {
    RaceProcess race(kFolder, slow_car());
    race.drive({.throttle = 1, .turns = 150});
    speeds.push_back(race.drive({.throttle = 1 - brake, .brake = brake}).speed);
  }
  EXPECT_LT(speeds[1], speeds[0] - 0.05);
}

// Seen failing with sockets that other races inherit: the first race then waits for the second.
TEST(RaceTest, EndsWhenItsTrainerIsKilled) {
  std::array<int, 2> ready{};
  ASSERT_EQ(pipe(ready.data()), 0);
  const auto trainer = fork();
  if (trainer == 0) {
    try {
      RaceProcess first(kFolder, slow_car());
      RaceProcess second(kFolder, slow_car());
      if (write(ready[1], "!", 1) == 1) pause();
    } catch (const std::exception&) {  // The other side sees the end of the pipe.
    }
    _exit(1);
  }
  close(ready[1]);
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  const auto processes = races_of(trainer);
  ASSERT_EQ(processes.size(), 2);
  kill(trainer, SIGKILL);
  waitpid(trainer, nullptr, 0);
  for (const auto process : processes) EXPECT_TRUE(ends(process));
}

TEST(RaceTest, WordsSayWhatToDo) {
  EXPECT_THAT(error_of([] { RaceProcess race("/nowhere", slow_car()); }),
              AllOf(HasSubstr("/nowhere"), HasSubstr("tandem install torcs")));
  EXPECT_THAT(error_of([] { TorcsEnv env("/nowhere", settings()[0], {}); }),
              AllOf(HasSubstr("/nowhere"), HasSubstr("tandem install torcs")));
  EXPECT_THAT(error_of([] { TorcsEnv env(kFolder, settings()[0], {.track = "monza"}); }),
              AllOf(HasSubstr("env.track"), HasSubstr("g-track-1")));
  EXPECT_THAT(error_of([] { TorcsEnv env(kFolder, settings()[0], {.car = "lada"}); }),
              AllOf(HasSubstr("env.car"), HasSubstr("car1-ow1")));
  EXPECT_THAT(error_of([] { TorcsEnv env(kFolder, settings()[0], {.stuck_seconds = 0.5}); }),
              HasSubstr("env.stuck_seconds"));
  const auto family = find_family("torcs:slow_car");
  EXPECT_THAT(error_of([&] { (void)family->make("slowcar", 1); }),
              HasSubstr("did you mean 'slow_car'?"));
}

TEST(TorcsEnvironment, GasDrivesOnAndBrakesStop) {
  Drive drive({.start = "grid"});
  double fastest = 0;
  for (int step = 0; step < 80; ++step) {
    fastest = std::max<double>(fastest, drive.step(kGas).reward);
  }
  EXPECT_GT(fastest, 2.3);  // metres in a tenth of a second, which the first gear does not reach
  for (int step = 0; step < 60; ++step) (void)drive.step(kBrake);
  EXPECT_NEAR(drive.step(kBrake).reward, 0, 0.01);
}

TEST(TorcsEnvironment, AnEpisodeEndsWithItsTime) {
  Drive drive({.start = "grid", .seconds = 3});
  for (int step = 1; step < 30; ++step) EXPECT_FALSE(drive.step(kGas).game_over) << step;
  const auto last = drive.step(kGas);
  EXPECT_TRUE(last.truncated && last.game_over && !last.terminated);
}

TEST(TorcsEnvironment, ACarThatStandsIsOut) {
  Drive drive({.stuck_seconds = 2});
  for (int step = 1; step < 20; ++step) EXPECT_FALSE(drive.step(kRoll).game_over) << step;
  const auto last = drive.step(kRoll);
  EXPECT_TRUE(last.terminated && last.game_over && !last.truncated);
  Drive patient({.seconds = 10, .stuck_seconds = 0});
  for (int step = 1; step < 100; ++step) EXPECT_FALSE(patient.step(kRoll).terminated) << step;
}

TEST(TorcsEnvironment, TheRobotDrivesInTheAgentsPlace) {
  Drive drive({.start = "grid", .driver = "robot", .seconds = 20});
  double metres = 0;
  for (int step = 0; step < 200; ++step) metres += drive.step(kBrake).reward;
  EXPECT_GT(metres, 400);
}

// A single picture without it does not show how fast the car is.
TEST(TorcsEnvironment, TheViewHasSkyRoadAndSpeed) {
  Drive drive({.start = "grid"});
  const auto at = [&](std::size_t plane, std::size_t row, std::size_t column) {
    return static_cast<int>(drive.frame[(plane * 84 + row) * 84 + column]);
  };
  EXPECT_GT(at(2, 2, 42), at(0, 2, 42) + 50);              // the sky is blue
  EXPECT_LT(std::abs(at(2, 70, 42) - at(0, 70, 42)), 20);  // the road is gray
  EXPECT_LT(at(0, 83, 0), 50);                             // the gauge is dark while the car stands
  for (int step = 0; step < 40; ++step) (void)drive.step(kGas);
  EXPECT_GT(at(0, 83, 0), 200);
}

// A car that has turned to the left has more of the verge and of the wall in the left of its view.
TEST(TorcsEnvironment, TurnsToTheSideThatItsActionNames) {
  const auto coloured = [](const Drive& drive, std::size_t from, std::size_t to) {
    int count = 0;
    for (std::size_t pixel = 84 * 39; pixel < 84 * 80; ++pixel) {
      const auto column = pixel % 84;
      const auto red = static_cast<int>(drive.frame[pixel]);
      const auto blue = static_cast<int>(drive.frame[2 * 84 * 84 + pixel]);
      if (column >= from && column < to && std::abs(red - blue) > 12) ++count;
    }
    return count;
  };
  for (const auto& [action, sign] : {std::pair{kGas + 1, 1}, std::pair{kGas + 2, -1}}) {
    Drive drive({.start = "grid"});
    EXPECT_EQ(drive.env.spec().action_names[static_cast<std::size_t>(action)],
              sign > 0 ? "left+gas" : "right+gas");
    for (int step = 0; step < 15; ++step) (void)drive.step(kGas);
    for (int step = 0; step < 8; ++step) (void)drive.step(action);
    EXPECT_GT(sign * (coloured(drive, 0, 42) - coloured(drive, 42, 84)), 10) << action;
  }
}

// The fifth is purple. Seen failing with a view in which the farther things hide the nearer ones.
TEST(TorcsEnvironment, OpponentsAreInTheView) {
  const auto purple = [](const Drive& drive) {
    const auto part = [&](std::size_t at) { return static_cast<int>(drive.frame[at]); };
    int count = 0;
    for (std::size_t pixel = 0; pixel < 84 * 84; ++pixel) {
      const int green = part(pixel + 84 * 84);
      if (part(pixel) > green + 40 && part(pixel + 2 * 84 * 84) > green + 40) ++count;
    }
    return count;
  };
  EXPECT_EQ(purple(Drive({.start = "grid"})), 0);
  EXPECT_GT(purple(Drive({.start = "grid"}, settings()[1])), 40);
}

// A saved state holds how long the car has stood, and how long the episode has lasted.
TEST(TorcsEnvironment, ASavedEpisodeEndsAtTheSameStep) {
  for (const auto& options :
       {TorcsOptions{.stuck_seconds = 2}, TorcsOptions{.seconds = 2, .stuck_seconds = 0}}) {
    Drive first(options);
    for (int step = 0; step < 15; ++step) (void)first.step(kRoll);
    StateWriter writer;
    first.env.save(writer);
    Drive second(options);
    StateReader reader(writer.bytes());
    second.env.load(reader);
    for (int step = 15; step < 19; ++step) EXPECT_FALSE(second.step(kRoll).game_over) << step;
    EXPECT_TRUE(second.step(kRoll).game_over);
  }
}

// The bytes of a state.
std::vector<std::byte> state_of(const TorcsEnv& env) {
  StateWriter writer;
  env.save(writer);
  return writer.bytes();
}

TEST(TorcsEnvironment, ADamagedStateIsAnErrorThatChangesNothing) {
  Drive drive;
  (void)drive.step(kGas);
  const auto before = state_of(drive.env);
  StateReader words(before);
  const auto race = words.get_string();
  for (const auto& [place, action] : {std::pair{0.5, 99}, std::pair{7.0, 0}, std::pair{-0.5, 0}}) {
    StateWriter writer;
    writer.put_string(race);
    writer.put(std::uint8_t{1});
    writer.put(place);
    writer.put_values(std::vector<std::uint8_t>{static_cast<std::uint8_t>(action)});
    StateReader reader(writer.bytes());
    EXPECT_THAT(error_of([&] { drive.env.load(reader); }), HasSubstr("damaged"));
  }
  Drive other({.track = "aalborg"});
  StateReader reader(before);
  EXPECT_THAT(error_of([&] { other.env.load(reader); }),
              AllOf(HasSubstr("g-track-1"), HasSubstr("aalborg")));
  EXPECT_EQ(state_of(drive.env), before);
}

}  // namespace
}  // namespace torcs
}  // namespace tandem
