// The contract of every environment, as tests. Include it in one source file of a test program, and
// instantiate the suite EnvConformance with the ids to test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/base/field.h"
#include "tandem/env/family.h"
#include "tandem/env/uniform_action.h"
#include "tandem/env/vec_env.h"
#include "tests/support/allocations.h"

namespace tandem {

/// An environment under test, with its known properties.
struct EnvCase {
  std::string id;
  std::vector<std::pair<std::string, std::string>> options = {};
  bool random = true;        // different seeds give different games
  int most_steps = 20000;    // random actions end a game in fewer steps
  int allocating_steps = 0;  // how many of 500 steps may, to store a whole state
};

inline std::ostream& operator<<(std::ostream& out, const EnvCase& env_case) {
  out << env_case.id;
  for (const auto& [key, value] : env_case.options) out << ' ' << key << '=' << value;
  return out;
}

/// "atari:Pong" with fire_reset=true as the name of a test: atari_Pong_fire_reset_true.
inline std::string case_name(const testing::TestParamInfo<EnvCase>& info) {
  auto name = testing::PrintToString(info.param);
  for (auto& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  }
  return name;
}

/// An environment that plays random actions, with the results of its last step.
class RandomPlay {
 public:
  RandomPlay(std::unique_ptr<Env> env, std::uint64_t seed, std::uint64_t action_seed = 99)
      : env_(std::move(env)),
        stream_(seed, 0),
        actions_(action_seed, 1),
        chosen_(env_->spec()),
        frame_(env_->spec().step_bytes()) {}

  /// Takes one step; resets instead at the start and after an end.
  void go() {
    if (ended_) {
      result_ = {};
      env_->reset(stream_, frame_);
      ended_ = false;
      return;
    }
    const auto chosen = chosen_.draw(actions_);
    const AllocationCount allocations;
    result_ = env_->step(chosen, stream_, frame_);
    if (allocations.so_far() > 0) ++allocating_steps_;
    ended_ = result_.terminated || result_.truncated;
  }

  void go(int steps) {
    for (int step = 0; step < steps; ++step) go();
  }

  /// Continues from the other player's state.
  void continue_from(const RandomPlay& other) {
    StateWriter writer;
    other.env_->save(writer);
    StateReader reader(writer.bytes());
    env_->load(reader);
    EXPECT_TRUE(reader.at_end());
    stream_ = other.stream_;
    actions_ = other.actions_;
    frame_ = other.frame_;
    result_ = other.result_;
    ended_ = other.ended_;
  }

  [[nodiscard]] Env& env() { return *env_; }
  [[nodiscard]] const StepResult& result() const { return result_; }
  [[nodiscard]] bool ended() const { return ended_; }
  /// The frames of all agents.
  [[nodiscard]] std::vector<std::byte>& frame() { return frame_; }
  [[nodiscard]] int allocating_steps() const { return allocating_steps_; }

  [[nodiscard]] bool same_as(const RandomPlay& other) const {
    return frame_ == other.frame_ && result_.reward == other.result_.reward &&
           result_.terminated == other.result_.terminated &&
           result_.truncated == other.result_.truncated &&
           result_.game_over == other.result_.game_over &&
           std::ranges::equal(result_.rewards, other.result_.rewards);
  }

 private:
  std::unique_ptr<Env> env_;
  Stream stream_;
  Stream actions_;
  UniformActions chosen_;
  std::vector<std::byte> frame_;
  StepResult result_;
  bool ended_ = true;
  int allocating_steps_ = 0;
};

class EnvConformance : public testing::TestWithParam<EnvCase> {
 protected:
  void SetUp() override {
    family_ = find_family(GetParam().id);
    for (const auto& [key, value] : GetParam().options) {
      const auto fields = family_->fields();
      const auto field = std::ranges::find(fields, key, &Field::key);
      ASSERT_NE(field, fields.end()) << GetParam().id << " has no option " << key;
      set_field_text(*field, value);
    }
  }

  std::unique_ptr<Env> make() { return family_->make(env_name(GetParam().id), 1); }
  RandomPlay play(std::uint64_t seed = 1) { return {make(), seed}; }

  std::unique_ptr<EnvFamily> family_;
};

TEST_P(EnvConformance, IsNamedByItsFamily) {
  const auto names = family_->names();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::count(names.begin(), names.end(), env_name(GetParam().id)), 1);
}

// Seen failing with one action name too few.
TEST_P(EnvConformance, SpecIsSane) {
  const auto env = make();
  const auto& spec = env->spec();
  EXPECT_TRUE(spec.frame_shape.size() == 1 || spec.frame_shape.size() == 3);
  for (const auto size : spec.frame_shape) EXPECT_GT(size, 0);
  EXPECT_GE(spec.stack, 1);
  EXPECT_EQ(spec.action_low.size(), spec.action_high.size());
  EXPECT_EQ(spec.discrete(), spec.action_low.empty());
  for (std::size_t i = 0; i < spec.action_low.size(); ++i) {
    EXPECT_LT(spec.action_low[i], spec.action_high[i]);
  }
  if (!spec.action_names.empty()) {
    EXPECT_EQ(static_cast<std::int64_t>(spec.action_names.size()), spec.num_actions);
  }
  EXPECT_GE(spec.agents, 1);
  EXPECT_GE(spec.frames_per_step, 1);
  EXPECT_GT(spec.render_fps, 0);
}

// Seen failing with a frame that is not cleared, and with a byte written behind it.
TEST_P(EnvConformance, WritesTheWholeFrameAndNothingElse) {
  // Plays the same game twice, into frames with different bytes in them and around them.
  constexpr std::size_t kBorder = 64;
  const auto env = make();
  const auto other_env = make();
  const auto bytes = env->spec().step_bytes();
  std::vector<std::byte> zeros(bytes + 2 * kBorder, std::byte{0});
  std::vector<std::byte> ones(bytes + 2 * kBorder, std::byte{0xab});
  const auto middle = [&](auto& all) { return std::span(all).subspan(kBorder, bytes); };
  const auto check = [&] {
    ASSERT_EQ(std::memcmp(middle(zeros).data(), middle(ones).data(), bytes), 0);
    for (std::size_t i = 0; i < kBorder; ++i) {
      ASSERT_EQ(zeros[i], std::byte{0});
      ASSERT_EQ(zeros[bytes + kBorder + i], std::byte{0});
      ASSERT_EQ(ones[i], std::byte{0xab});
      ASSERT_EQ(ones[bytes + kBorder + i], std::byte{0xab});
    }
    std::fill(middle(zeros).begin(), middle(zeros).end(), std::byte{0});
    std::fill(middle(ones).begin(), middle(ones).end(), std::byte{0xab});
  };
  Stream stream(1, 0);
  Stream other_stream(1, 0);
  const std::vector<Action> actions(static_cast<std::size_t>(env->spec().agents),
                                    {.continuous = env->spec().action_low});
  for (int step = 0; step < 50; ++step) {
    if (step % 10 == 0) {
      env->reset(stream, middle(zeros));
      other_env->reset(other_stream, middle(ones));
      check();
    }
    const auto result = env->step(actions, stream, middle(zeros));
    other_env->step(actions, other_stream, middle(ones));
    check();
    if (result.terminated || result.truncated) step += 9 - step % 10;
  }
}

// Seen failing with rewards that an environment of several agents does not give.
TEST_P(EnvConformance, EachOfSeveralAgentsHasAReward) {
  auto game = play();
  const auto agents = game.env().spec().agents;
  game.go(2);
  if (agents == 1) GTEST_SKIP() << "it has one agent";
  EXPECT_EQ(std::ssize(game.result().rewards), agents);
}

// Seen failing with a NaN in the frame.
TEST_P(EnvConformance, NumbersAreFinite) {
  auto game = play();
  for (int step = 0; step < 1000; ++step) {
    game.go();
    ASSERT_TRUE(std::isfinite(game.result().reward));
    for (const float reward : game.result().rewards) ASSERT_TRUE(std::isfinite(reward));
    if (game.env().spec().dtype != DType::f32) continue;
    for (std::size_t at = 0; at < game.frame().size(); at += sizeof(float)) {
      float value = 0;
      std::memcpy(&value, &game.frame()[at], sizeof(value));
      ASSERT_TRUE(std::isfinite(value));
    }
  }
}

// Seen failing with rand() instead of the stream.
TEST_P(EnvConformance, TheSameStreamGivesTheSameGame) {
  auto game = play();
  auto again = play();
  for (int step = 0; step < 500; ++step) {
    game.go();
    again.go();
    ASSERT_TRUE(game.same_as(again)) << "step " << step;
  }
}

// Seen failing with a reset() that draws nothing from the stream.
TEST_P(EnvConformance, OtherStreamsGiveOtherGames) {
  if (!GetParam().random) GTEST_SKIP() << "nothing is random here";
  int others = 0;
  for (int seed = 2; seed < 8 && others < 2; ++seed) {
    auto other = play(seed);
    auto first = play(1);
    for (int step = 0; step < 100; ++step) {
      first.go();
      other.go();
      if (first.same_as(other)) continue;
      ++others;
      break;
    }
  }
  EXPECT_GE(others, 2);
}

// Seen failing with a game_over that is never set.
TEST_P(EnvConformance, EndsAreConsistentAndTheNextGameBegins) {
  auto game = play();
  int games = 0;
  for (int step = 0; step < GetParam().most_steps * 2 && games < 2; ++step) {
    game.go();
    const auto& result = game.result();
    ASSERT_TRUE(!result.game_over || result.terminated || result.truncated);
    ASSERT_TRUE(!result.truncated || result.game_over);
    games += result.game_over ? 1 : 0;
  }
  EXPECT_EQ(games, 2);
}

// Seen failing with a variable left out of load().
TEST_P(EnvConformance, GoesOnBitByBitFromASavedState) {
  auto game = play();
  if (!game.env().spec().saves) GTEST_SKIP() << "it saves nothing";
  auto used = play(7);
  used.go(37);
  for (const int steps : {1, 6, 60, 300}) {
    game.go(steps);
    auto fresh = play(5);
    fresh.continue_from(game);
    used.continue_from(game);
    EXPECT_EQ(fresh.env().render().rgb, game.env().render().rgb);
    for (int step = 0; step < 200; ++step) {
      game.go();
      fresh.go();
      used.go();
      ASSERT_TRUE(game.same_as(fresh)) << "fresh instance, step " << step << " of " << steps;
      ASSERT_TRUE(game.same_as(used)) << "used instance, step " << step << " of " << steps;
    }
    // A loaded game can be saved and loaded once more.
    auto later = play(1);
    later.continue_from(fresh);
    later.go();
    fresh.go();
    EXPECT_TRUE(later.same_as(fresh));
  }
}

// Seen failing with state shared by all instances.
TEST_P(EnvConformance, GoesOnFromAStateSavedAtAnEnd) {
  auto game = play();
  if (!game.env().spec().saves) GTEST_SKIP() << "it saves nothing";
  game.go();
  for (int step = 0; step < GetParam().most_steps && !game.ended(); ++step) game.go();
  ASSERT_TRUE(game.ended());
  auto resumed = play(5);
  resumed.continue_from(game);
  for (int step = 0; step < 100; ++step) {
    game.go();
    resumed.go();
    ASSERT_TRUE(game.same_as(resumed)) << "step " << step;
  }
}

TEST_P(EnvConformance, RefusesAStateThatIsCutOff) {
  auto game = play();
  if (!game.env().spec().saves) GTEST_SKIP() << "it saves nothing";
  game.go(3);
  StateWriter writer;
  game.env().save(writer);
  if (writer.bytes().empty()) GTEST_SKIP() << "it has no state";
  StateReader reader(std::span(writer.bytes()).first(writer.bytes().size() - 1));
  EXPECT_THROW(make()->load(reader), Error);
}

// Seen failing with a std::string made in step().
TEST_P(EnvConformance, StepsWithoutAllocating) {
  auto game = play();
  game.go(500);
  EXPECT_LE(game.allocating_steps(), GetParam().allocating_steps);
}

// Seen failing with a width that changes with the state.
TEST_P(EnvConformance, PicturesHaveOneSize) {
  auto game = play();
  game.go();
  const auto first = game.env().render();
  for (int step = 0; step < 20; ++step) {
    const auto picture = game.env().render();
    EXPECT_EQ(picture.rgb.size(), static_cast<std::size_t>(picture.width) * picture.height * 3);
    EXPECT_EQ(picture.width, first.width);
    EXPECT_EQ(picture.height, first.height);
    game.go();
  }
}

// Seen failing with state shared by all instances.
TEST_P(EnvConformance, InstancesInThreadsDoNotDisturbEachOther) {
  constexpr int kSteps = 300;
  const VecEnvOptions options{.count = 3, .threads = 0, .seed = 1};
  const auto factory = [this](int) { return make(); };
  VecEnv alone(factory, options);
  auto in_threads = options;
  in_threads.threads = 3;
  VecEnv together(factory, in_threads);
  const auto& spec = alone.spec();
  const auto rows = static_cast<std::size_t>(alone.size());
  std::vector<std::byte> expected(rows * spec.observation_bytes());
  auto seen = expected;
  alone.reset(expected);
  together.reset(seen);
  EXPECT_EQ(seen, expected);
  for (int step = 0; step < kSteps; ++step) {
    const Action action{.discrete = spec.discrete() ? step % static_cast<int>(spec.num_actions) : 0,
                        .continuous = spec.action_high};
    const std::vector<Action> actions(rows, action);
    alone.step(actions, expected);
    together.step(actions, seen);
    ASSERT_EQ(seen, expected) << "step " << step;
  }
}

}  // namespace tandem
