#include "tandem/env/normalised_env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/support/allocations.h"
#include "tests/support/error_of.h"
#include "tests/support/three_steps.h"

namespace tandem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<Env> scaled(double mean, double deviation) {
  return make_normalised(std::make_unique<ThreeSteps>(1, 1.0F),
                         std::make_shared<const ObservationScale>(
                             ObservationScale{.mean = {mean}, .deviation = {deviation}}));
}

/// The first frames of an episode.
std::vector<float> numbers(Env& env, int count) {
  Stream stream(1, 0);
  std::vector<float> shown;
  std::vector<std::byte> frame(sizeof(float));
  for (int i = 0; i < count; ++i) {
    if (i == 0) {
      env.reset(stream, frame);
    } else {
      env.step(std::array{Action{}}, stream, frame);
    }
    std::memcpy(&shown.emplace_back(), frame.data(), sizeof(float));
  }
  return shown;
}

TEST(NormalisedEnv, ShowsDistancesFromTheMeanInDeviations) {
  EXPECT_THAT(numbers(*scaled(1.5, 0.5), 4), ElementsAre(-3, -1, 1, 3));
}

TEST(NormalisedEnv, ShowsNothingFartherThanTenDeviations) {
  EXPECT_THAT(numbers(*scaled(1, 0.01), 3), ElementsAre(-10, 0, 10));
}

TEST(NormalisedEnv, GoesOnFromASavedState) {
  const auto env = scaled(1, 2);
  numbers(*env, 2);
  StateWriter writer;
  env->save(writer);
  const auto other = scaled(1, 2);
  StateReader reader(writer.bytes());
  other->load(reader);
  EXPECT_TRUE(reader.at_end());
  Stream stream(1, 0);
  std::vector<std::byte> frame(sizeof(float));
  other->step(std::array{Action{}}, stream, frame);
  float second = 0;
  std::memcpy(&second, frame.data(), sizeof(second));
  EXPECT_EQ(second, 0.5F);
}

TEST(NormalisedEnv, AllocatesNothingInAStep) {
  const auto env = scaled(1, 2);
  Stream stream(1, 0);
  std::vector<std::byte> frame(sizeof(float));
  env->reset(stream, frame);
  const AllocationCount allocations;
  env->step(std::array{Action{}}, stream, frame);
  EXPECT_EQ(allocations.so_far(), 0);
}

TEST(NormalisedEnv, RefusesWhatItCannotScaleInWords) {
  EXPECT_THAT(error_of([] {
                require_numbers({.dtype = DType::u8, .frame_shape = {1, 8, 8}});
              }),
              HasSubstr("for pixels there is net.pixel_mean"));
  EXPECT_THAT(error_of([] {
                const auto scale = std::make_shared<const ObservationScale>(
                    ObservationScale{.mean = {0, 0}, .deviation = {1}});
                make_normalised(std::make_unique<ThreeSteps>(1, 1.0F), scale);
              }),
              HasSubstr("env.observation_mean has 2 numbers and env.observation_deviation 1, but a "
                        "frame of this environment has 1"));
}

}  // namespace
}  // namespace tandem
