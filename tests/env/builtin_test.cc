#include "tandem/env/builtin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <tuple>

#include "tandem/base/error.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// One environment and its last frame.
struct Player {
  explicit Player(std::unique_ptr<Env> env, std::uint64_t seed = 1)
      : env(std::move(env)), stream(seed, 0), frame(this->env->spec().frame_bytes()) {}

  void reset() { env->reset(stream, frame); }
  StepResult step(int action) {
    return env->step(std::array{Action{.discrete = action}}, stream, frame);
  }
  StepResult push(float action) {
    return env->step(std::array{Action{.continuous = std::span(&action, 1)}}, stream, frame);
  }
  std::vector<float> floats() const {
    std::vector<float> values(frame.size() / sizeof(float));
    std::memcpy(values.data(), frame.data(), frame.size());
    return values;
  }

  std::unique_ptr<Env> env;
  Stream stream;
  std::vector<std::byte> frame;
};

Player play(const std::string& name, std::uint64_t seed = 1) {
  return Player(make_builtin_family()->make(name, 0), seed);
}

std::vector<std::vector<double>> golden(const std::string& name) {
  std::ifstream file(TANDEM_SOURCE_DIR "/tests/golden/" + name + ".csv");
  std::vector<std::vector<double>> lines;
  for (std::string line; std::getline(file, line);) {
    std::stringstream words(line);
    auto& numbers = lines.emplace_back();
    for (std::string word; std::getline(words, word, ',');) numbers.push_back(std::stod(word));
  }
  return lines;
}

template <std::size_t size>
void set_state(Env& env, const double* values) {
  std::array<double, size> state;
  std::copy_n(values, size, state.begin());
  StateWriter writer;
  writer.put(state);
  StateReader reader(writer.bytes());
  env.load(reader);
}

template <std::size_t size>
void expect_state(const Env& env, const double* values) {
  StateWriter writer;
  env.save(writer);
  StateReader reader(writer.bytes());
  // Sine and cosine may differ in the last bit between libraries.
  for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR(reader.get<double>(), values[i], 1e-13);
}

TEST(CartPole, StepsAsGymnasium) {
  Player player(make_cartpole({}));
  const auto lines = golden("cartpole");
  ASSERT_EQ(lines.size(), 400u);
  for (const auto& line : lines) {
    player.reset();
    set_state<4>(*player.env, &line[0]);
    const auto result = player.step(static_cast<int>(line[4]));
    expect_state<4>(*player.env, &line[5]);
    for (int i = 0; i < 4; ++i)
      EXPECT_FLOAT_EQ(player.floats()[i], static_cast<float>(line[5 + i]));
    EXPECT_EQ(result.reward, line[9]);
    EXPECT_EQ(result.terminated, line[10] == 1);
    EXPECT_EQ(result.game_over, line[10] == 1);
  }
}

TEST(CartPole, StartsNearUprightAndIsTruncatedAfter500Steps) {
  auto player = play("cartpole");
  player.reset();
  for (const float value : player.floats()) EXPECT_LE(std::abs(value), 0.05f);
  for (int step = 1; step <= 500; ++step) {
    // Push the cart under the pole.
    const auto state = player.floats();
    const auto result = player.step(state[2] + 0.3f * state[3] + 0.05f * state[0] > 0 ? 1 : 0);
    ASSERT_FALSE(result.terminated) << step;
    ASSERT_EQ(result.truncated, step == 500);
    ASSERT_EQ(result.game_over, step == 500);
  }
}

TEST(Pendulum, StepsAsGymnasium) {
  Player player(make_pendulum({}));
  const auto lines = golden("pendulum");
  ASSERT_EQ(lines.size(), 400u);
  for (const auto& line : lines) {
    player.reset();
    set_state<2>(*player.env, &line[0]);
    const auto result = player.push(static_cast<float>(line[2]));
    expect_state<2>(*player.env, &line[3]);
    EXPECT_FLOAT_EQ(result.reward, static_cast<float>(line[5]));
    EXPECT_FALSE(result.terminated);
    EXPECT_THAT(player.floats(),
                ElementsAre(testing::FloatEq(static_cast<float>(std::cos(line[3]))),
                            testing::FloatEq(static_cast<float>(std::sin(line[3]))),
                            static_cast<float>(line[4])));
  }
}

TEST(Pendulum, IsTruncatedAfter200Steps) {
  auto player = play("pendulum");
  player.reset();
  for (int step = 1; step < 200; ++step) ASSERT_FALSE(player.push(0).truncated);
  const auto result = player.push(0);
  EXPECT_TRUE(result.truncated);
  EXPECT_TRUE(result.game_over);
  EXPECT_FALSE(result.terminated);
}

TEST(Catch, PaysForTheColumnOfTheBall) {
  // Plays perfectly in every second game, and without a move in the others.
  auto player = play("catch");
  int still_caught = 0;
  for (int game = 0; game < 100; ++game) {
    player.reset();
    // The ball is the lit cell of the first row.
    const auto first_lit = std::find(player.frame.begin(), player.frame.end(), std::byte{0xff});
    const int column = static_cast<int>(std::lround((first_lit - player.frame.begin()) * 5 / 84.0));
    const bool still = game % 2 == 0;
    int paddle = 2;
    for (int step = 1; step <= 9; ++step) {
      const int move = still || paddle == column ? 0 : column > paddle ? 1 : -1;
      paddle += move;
      const auto result = player.step(1 + move);
      ASSERT_EQ(result.terminated, step == 9);
      if (step < 9) {
        ASSERT_EQ(result.reward, 0);
      } else {
        ASSERT_EQ(result.reward, paddle == column ? 1 : -1);
      }
    }
    if (still && paddle == column) ++still_caught;
  }
  EXPECT_GT(still_caught, 2);  // of 50, expected 10
  EXPECT_LT(still_caught, 20);
}

// Seen failing when the next step wrote outside the picture.
TEST(Catch, RefusesADamagedState) {
  for (const auto& [row, column, paddle] : {std::tuple(500, 1, 1), {1, -1, 1}, {1, 1, 5}}) {
    StateWriter writer;
    for (const std::int32_t number : {row, column, paddle}) writer.put(number);
    StateReader reader(writer.bytes());
    EXPECT_THROW(make_catch({.size = 84})->load(reader), Error) << row << column << paddle;
  }
}

// It would write past the frame.
TEST(Catch, RefusesAStepAfterTheEnd) {
  Player player(make_catch({.size = 84}));
  player.reset();
  while (!player.step(1).terminated) {
  }
  EXPECT_THROW(player.step(1), Error);
}

TEST(Catch, FillsTheCellsOfAnySize) {
  for (const int size : {10, 42, 84, 85}) {
    Player player(make_catch({.size = size}));
    player.reset();
    EXPECT_EQ(player.env->spec().frame_shape, (std::vector<std::int64_t>{1, size, size}));
    const auto lit = std::count(player.frame.begin(), player.frame.end(), std::byte{0xff});
    EXPECT_NEAR(static_cast<double>(lit), 2.0 * size * size / 50, 2.0 * size);
  }
}

TEST(Memory, PaysForTheCueAfterTheDelay) {
  Player player(make_memory({.delay = 4}));
  int plus = 0;
  for (int game = 0; game < 64; ++game) {
    player.reset();
    const float cue = player.floats()[0];
    ASSERT_EQ(std::abs(cue), 1);
    plus += cue == 1 ? 1 : 0;
    for (int step = 1; step <= 4; ++step) {
      const auto result = player.step(0);
      ASSERT_FALSE(result.terminated);
      ASSERT_EQ(result.reward, 0);
      EXPECT_THAT(player.floats(), ElementsAre(0, step == 4 ? 1 : 0, 1 - step / 4.0f));
    }
    const int answer = game % 2;
    const auto result = player.step(answer);
    ASSERT_TRUE(result.terminated);
    ASSERT_EQ(result.reward, (cue == 1) == (answer == 1) ? 1 : -1);
  }
  EXPECT_NEAR(plus, 32, 16);
}

TEST(Latency, DrawsTheMeanAndTheSpreadOfEachDistribution) {
  struct Case {
    const char* name;
    double variance;
  };
  for (const auto& [name, variance] :
       {Case{"constant", 0}, Case{"uniform", 1 / 3.0}, Case{"exponential", 1}, Case{"gamma", 2}}) {
    Player player(make_latency({.mean_us = 0, .distribution = name}));
    player.reset();
    double sum = 0, squares = 0;
    constexpr int steps = 40000;
    for (int step = 0; step < steps; ++step) {
      player.step(0);
      const double share = player.floats()[0];
      sum += share;
      squares += share * share;
    }
    const double mean = sum / steps;
    EXPECT_NEAR(mean, 1, 0.03) << name;
    EXPECT_NEAR(squares / steps - mean * mean, variance, 0.1 * variance + 1e-6) << name;
  }
}

TEST(Latency, ABusyStepUsesProcessorTimeAndASleepingOneDoesNot) {
  const auto seconds = [](const char* wait) {
    Player player(make_latency({.mean_us = 2000, .wait = wait}));
    player.reset();
    const auto wall = std::chrono::steady_clock::now();
    const auto before = std::clock();
    for (int step = 0; step < 20; ++step) player.step(0);
    EXPECT_GE(std::chrono::steady_clock::now() - wall, std::chrono::milliseconds(40)) << wait;
    return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  };
  EXPECT_NEAR(seconds("busy"), 0.04, 0.005);
  EXPECT_LT(seconds("sleeping"), 0.02);
}

TEST(Builtin, ATimeLimitKeepsAnEndThatComesWithIt) {
  auto family = make_builtin_family();
  for (const auto& field : family->fields()) {
    if (field.key == "max_steps") set_field(field, std::int64_t{9});
  }
  Player player(family->make("catch", 0));
  player.reset();
  for (int step = 0; step < 8; ++step) player.step(1);
  const auto result = player.step(1);
  EXPECT_TRUE(result.terminated);
  EXPECT_FALSE(result.truncated);
}

TEST(Builtin, OffersTheNearestNameForAnUnknownOne) {
  const auto message = [](const std::string& name) {
    return error_of([&] { (void)make_builtin_family()->make(name, 0); });
  };
  EXPECT_EQ(message("cartpoel"),
            "there is no environment 'cartpoel'; did you mean 'cartpole'? built in are cartpole, "
            "catch, labyrinth, latency, memory, pendulum, and those of plug-ins are named like "
            "'atari:Pong'");
  EXPECT_THAT(message("Pong"), HasSubstr("named like 'atari:Pong'"));
}

}  // namespace
}  // namespace tandem
