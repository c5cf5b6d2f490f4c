#include "tandem/replay/step_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "tandem/base/error.h"
#include "tests/replay/frames.h"

namespace tandem {
namespace {

using test::frame;
using test::numbers;
using test::small_format;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// One step of one environment, with its memory. Observations are stacks of three frames.
struct Given {
  std::vector<std::byte> observation;
  std::vector<std::byte> next;
  std::array<Action, 1> action{};
  std::array<double, 1> reward{1};
  std::array<bool, 1> terminated{};
  std::array<bool, 1> truncated{};
  std::vector<float> values = {};

  [[nodiscard]] VectorStep step() const {
    return {.observations = observation,
            .actions = action,
            .next_observations = next,
            .rewards = reward,
            .terminated = terminated,
            .truncated = truncated,
            .action_values = values,
            .state_values = values};
  }
};

std::vector<std::byte> stack(std::array<float, 3> numbers) {
  std::vector<std::byte> all;
  for (const float number : numbers) {
    const auto one = frame(number);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

/// The step from the stack that ends with frame t to the next one.
Given given(float t) {
  return {.observation = stack({t - 2, t - 1, t}), .next = stack({t - 1, t, t + 1})};
}

StepWriter small_writer(Autoreset autoreset = Autoreset::next_step, std::size_t transitions = 2) {
  return StepWriter({.format = small_format(),
                     .transitions = {.n = 1, .gamma = 0.5, .transitions = transitions},
                     .rows = 1,
                     .autoreset = autoreset});
}

/// The observations in which the transitions of these segments begin.
std::vector<std::vector<float>> begins(const Segments& segments) {
  std::vector<std::vector<float>> all;
  for (const auto& segment : segments) {
    FrameCodec codec(segment->format());
    std::vector<std::byte> from(segment->format().observation_bytes());
    for (const auto& transition : segment->transitions()) {
      segment->read(transition.from, from.data(), codec);
      all.push_back(numbers(from));
    }
  }
  return all;
}

TEST(StepWriter, BeginsAnEpisodeWithItsWholeObservation) {
  auto writer = small_writer();
  Segments full;
  Given first{.observation = stack({5, 5, 6}), .next = stack({5, 6, 7})};
  writer.add(first.step(), full);
  writer.add(given(7).step(), full);
  writer.end_episodes(full);
  EXPECT_THAT(begins(full), ElementsAre(ElementsAre(5, 5, 6), ElementsAre(5, 6, 7)));
}

TEST(StepWriter, LeavesOutTheStepThatOnlyResets) {
  for (const auto autoreset : {Autoreset::next_step, Autoreset::disabled}) {
    auto writer = small_writer(autoreset, 1);
    Segments full;
    auto last = given(10);
    last.terminated = {true};
    writer.add(last.step(), full);
    if (autoreset == Autoreset::next_step) {
      auto next = given(11);
      next.next = stack({28, 29, 30});
      next.reward = {std::numeric_limits<double>::quiet_NaN()};
      writer.check(next.step());  // of the rest nothing is used
      writer.add(next.step(), full);
    }
    writer.check(given(30).step());
    writer.add(given(30).step(), full);
    writer.end_episodes(full);
    EXPECT_THAT(begins(full), ElementsAre(ElementsAre(8, 9, 10), ElementsAre(28, 29, 30)));
  }
}

// The first transition of each episode would be lost without a word.
TEST(StepWriter, RefusesResetsOfTheCallerWhereEnvironmentsResetThemselves) {
  for (const bool terminated : {false, true}) {
    auto writer = small_writer(Autoreset::next_step, 1);
    Segments full;
    auto last = given(10);
    (terminated ? last.terminated : last.truncated) = {true};
    writer.add(last.step(), full);
    auto ends_again = given(11);
    ends_again.terminated = {true};
    for (const auto& bad : {given(20), ends_again}) {
      EXPECT_THAT([&] { writer.check(bad.step()); },
                  ThrowsMessage<Error>(HasSubstr("say autoreset_mode=\"disabled\"")));
    }
    writer.check(given(11).step());  // the refusals have changed nothing
    writer.end_episodes(full);       // after it any observation begins an episode
    writer.check(given(20).step());
    writer.add(given(20).step(), full);
    writer.end_episodes(full);
    EXPECT_THAT(begins(full), ElementsAre(ElementsAre(8, 9, 10), ElementsAre(18, 19, 20)));
  }
}

TEST(StepWriter, PrioritiesAreUnknownWithoutValues) {
  for (const bool known : {false, true}) {
    auto writer = small_writer();
    Segments full;
    for (const float t : {0.0F, 1.0F, 2.0F}) {
      auto next = given(t);
      if (known) next.values = {t};
      writer.add(next.step(), full);
    }
    ASSERT_EQ(full.size(), 1U);
    const auto priority = full[0]->transitions()[1].priority;
    EXPECT_EQ(std::isnan(priority), !known);
    if (known) {
      EXPECT_EQ(priority, 1 + 0.5F * 2 - 1);
    }
    full[0]->fill_priorities(9);
    EXPECT_EQ(full[0]->transitions()[1].priority, known ? 1 : 9);
  }
}

TEST(StepWriter, FlushesWhatIsComplete) {
  auto writer = small_writer(Autoreset::next_step, 50);
  Segments full;
  writer.flush(full);
  EXPECT_TRUE(full.empty());
  for (const float t : {0.0F, 1.0F, 2.0F}) writer.add(given(t).step(), full);
  writer.flush(full);
  EXPECT_EQ(begins(full).size(), 2U);
  writer.add(given(3).step(), full);
  writer.end_episodes(full);
  writer.flush(full);
  EXPECT_THAT(begins(full).back(), ElementsAre(1, 2, 3));
  EXPECT_EQ(begins(full).size(), 4U);
}

// To compare all stacks would take time, so each step looks at one row's. Seen failing when it was
// always the first row.
TEST(StepWriter, LooksAtTheStackOfEachRowInTurn) {
  StepWriter writer({.format = small_format(),
                     .transitions = {.n = 1, .gamma = 0.5, .transitions = 2},
                     .rows = 2});
  const std::array<Action, 2> actions{};
  const std::array<double, 2> rewards{};
  const std::array<bool, 2> ended{};
  const auto refused = [&](float t) {
    const auto good = given(t);
    std::vector<std::byte> observations;
    std::vector<std::byte> next;
    for (const auto& second : {good.next, stack({7, 7, t + 1})}) {  // no stack that goes on
      observations.insert(observations.end(), good.observation.begin(), good.observation.end());
      next.insert(next.end(), second.begin(), second.end());
    }
    const VectorStep step{.observations = observations,
                          .actions = actions,
                          .next_observations = next,
                          .rewards = rewards,
                          .terminated = ended,
                          .truncated = ended};
    try {
      writer.check(step);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("environment 1 is no stack of frames that goes on"));
      return true;
    }
    Segments full;
    writer.add(step, full);
    return false;
  };
  EXPECT_FALSE(refused(2));
  EXPECT_TRUE(refused(3));
}

TEST(StepWriter, RefusesStepsThatDoNotFit) {
  auto writer = small_writer();
  Segments full;
  writer.add(given(0).step(), full);
  const auto refusal = [&](const Given& bad, const char* words) {
    EXPECT_THAT([&] { writer.check(bad.step()); }, ThrowsMessage<Error>(HasSubstr(words)));
  };
  writer.check(given(1).step());
  refusal(given(2), "environment 0 is not the next observation");
  auto bad = given(1);
  bad.reward = {1e300};
  refusal(bad, "the reward of environment 0 is inf");
  bad = given(1);
  bad.next = stack({5, 1, 2});
  refusal(bad, "with stack=3 its first 2 frames must be the last 2");
  bad = given(1);
  bad.values = {kNan};
  refusal(bad, "the action value of environment 0 is nan");
  const std::array<float, 2> controls{0, kNan};
  bad = given(1);
  bad.action[0].continuous = controls;
  refusal(bad, "the action of environment 0 is nan");
  const auto one = given(1);
  auto step = one.step();
  step.next_observations = step.observations;
  EXPECT_THAT([&] { writer.check(step); }, ThrowsMessage<Error>(HasSubstr("the same array")));
  writer.add(one.step(), full);
}

}  // namespace
}  // namespace tandem
