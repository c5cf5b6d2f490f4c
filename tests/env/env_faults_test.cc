// Environments that break their contract, and the errors that a VecEnv makes of that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tests/env/scripted_env.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

/// The last number of a frame is another one after so many steps; 0: at the beginning.
class ShowsAtLast final : public ScriptedEnv {
 public:
  ShowsAtLast(Script& script, int index, float number, int after)
      : ScriptedEnv(script, index), number_(number), after_(after) {}

  void reset(Stream& stream, std::span<std::byte> frame) override {
    ScriptedEnv::reset(stream, frame);
    show(frame);
  }
  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frame) override {
    const auto result = ScriptedEnv::step(actions, stream, frame);
    ++steps_;
    show(frame);
    return result;
  }

 private:
  void show(std::span<std::byte> frame) const {
    if (steps_ != after_) return;
    std::memcpy(frame.last(sizeof(number_)).data(), &number_, sizeof(number_));
  }

  float number_;
  int after_;
  int steps_ = 0;
};

// A network makes all its outputs of such a number, and the run would seem to have diverged.
TEST(EnvFaults, AnObservationThatIsNotFiniteIsTheEnvironmentsError) {
  constexpr auto kWords =
      "environment 4: it showed an observation whose number 3 (counted from 0) is not finite";
  for (const float number :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    for (const int after : {0, 2, 5}) {  // 5: at the episode's end
      Script script;
      VecEnv envs(
          [&](int index) { return std::make_unique<ShowsAtLast>(script, index, number, after); },
          {.first = 4, .count = 1});
      Observations seen(1, 3);
      const auto error = error_of([&] {
        envs.reset(seen.bytes());
        for (int step = 1; step < after; ++step) envs.step(std::vector<Action>(1), seen.bytes());
        EXPECT_GT(after, 0) << "it began";
        envs.step(std::vector<Action>(1), seen.bytes());
      });
      EXPECT_THAT(error, StartsWith(kWords)) << number << " after " << after;
    }
  }
}

TEST(EnvFaults, TheLargestNumbersAreFinite) {
  Script script;
  constexpr float kLowest = std::numeric_limits<float>::lowest();
  VecEnv envs([&](int index) { return std::make_unique<ShowsAtLast>(script, index, kLowest, 1); },
              {.count = 1});
  Observations seen(1, 3);
  envs.reset(seen.bytes());
  EXPECT_NO_THROW(envs.step(std::vector<Action>(1), seen.bytes()));
  EXPECT_EQ(seen.values().back(), kLowest);
}

/// Runs a function in place of each step.
class FailsInSteps final : public ScriptedEnv {
 public:
  FailsInSteps(Script& script, int index, std::function<void()> fail)
      : ScriptedEnv(script, index), fail_(std::move(fail)) {}
  StepResult step(std::span<const Action> /*actions*/, Stream& /*stream*/,
                  std::span<std::byte> /*frame*/) override {
    fail_();
    return {};
  }

 private:
  std::function<void()> fail_;
};

/// Steps an environment that fails so.
void step_failing(const std::function<void()>& fail) {
  Script script;
  VecEnv envs([&](int index) { return std::make_unique<FailsInSteps>(script, index, fail); },
              {.count = 1});
  Observations seen(1, 3);
  envs.reset(seen.bytes());
  envs.step(std::vector<Action>(1), seen.bytes());
}

TEST(EnvFaults, TheUserCanMendALackOfMemoryAndOfAFile) {
  EXPECT_THAT(error_of([] { step_failing([] { throw std::bad_alloc(); }); }),
              AllOf(StartsWith("environment 0: "), HasSubstr("not enough memory")));
  const auto denied = std::make_error_code(std::errc::permission_denied);
  EXPECT_THAT(
      error_of([&] {
        step_failing([&] {
          throw std::filesystem::filesystem_error("cannot open", "cherries.bin", denied);
        });
      }),
      AllOf(StartsWith("environment 0: "), HasSubstr("cherries.bin"), HasSubstr("check the path")));
}

// Handlers of std::exception alone would let it end the program without a word.
TEST(EnvFaults, WhateverAnEnvironmentThrowsNamesIt) {
  EXPECT_THAT([] { step_failing([] { throw 7; }); },
              ThrowsMessage<std::runtime_error>(
                  StartsWith("environment 0: it threw something that is no std::exception")));
}

/// Draws this picture.
class DrawsPicture final : public ScriptedEnv {
 public:
  DrawsPicture(Script& script, int index, const Picture& picture)
      : ScriptedEnv(script, index), picture_(picture) {}
  [[nodiscard]] Picture render() const override { return picture_; }

 private:
  const Picture& picture_;
};

// Its readers would read beyond the bytes.
TEST(EnvFaults, APictureHasTheBytesOfItsSize) {
  Script script;
  Picture picture{.width = 4, .height = 2, .rgb = std::vector<std::uint8_t>(24)};
  VecEnv envs([&](int index) { return std::make_unique<DrawsPicture>(script, index, picture); },
              {.first = 1, .count = 1});
  EXPECT_EQ(envs.render(0).rgb.size(), 24U);
  picture.rgb.pop_back();
  EXPECT_THAT(error_of([&] { (void)envs.render(0); }),
              HasSubstr("environment 1: it drew a picture of 4 x 2 pixels in 23 bytes"));
  picture = {.width = -4, .height = -2, .rgb = std::vector<std::uint8_t>(24)};
  EXPECT_THAT(error_of([&] { (void)envs.render(0); }), HasSubstr("-4 x -2 pixels"));
  picture = {.width = 0, .height = 2, .rgb = std::vector<std::uint8_t>(3)};
  EXPECT_THAT(error_of([&] { (void)envs.render(0); }), HasSubstr("0 x 2 pixels"));
  picture = {};
  EXPECT_EQ(envs.render(0).width, 0) << "there may be none";
}

// A state of no game would be loaded as that of one, and steps would follow without a reset.
TEST(EnvFaults, AStateBeforeTheFirstResetIsABug) {
  Script script;
  VecEnv envs(scripted(script), {.count = 2});
  Observations seen(2, 3);
  StateWriter writer;
  EXPECT_THROW(envs.save(writer), std::logic_error);
  EXPECT_THROW((void)envs.capture(0), std::logic_error);
  envs.reset(seen.bytes());
  EXPECT_NO_THROW(envs.save(writer));
  EXPECT_NO_THROW((void)envs.capture(0));
}

}  // namespace
}  // namespace tandem
