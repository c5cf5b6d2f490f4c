// A network's result for a sample must not depend on the rest of its batch. Otherwise the bits of a
// training run would depend on the composition of batches.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ostream>
#include <string>
#include <vector>

#include "tandem/nn/activation_recorder.h"
#include "tandem/nn/batch.h"
#include "tandem/nn/make_network.h"
#include "tests/nn/network_contract.h"

namespace tandem {
namespace {

EnvSpec vectors() {
  EnvSpec spec;
  spec.frame_shape = {17};
  spec.num_actions = 6;
  return spec;
}

struct Case {
  const char* name;
  NetConfig net;
  bool pixels = true;
  std::int64_t side = 84;  // of the images
};

EnvSpec images(std::int64_t side) {
  auto spec = Atari::spec();
  spec.frame_shape = {1, side, side};
  return spec;
}

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

const std::array kCases = {
    Case{"nips", {.arch = "nips"}},
    Case{"nature", {.arch = "nature"}},
    Case{"large4", {.arch = "large4"}},
    Case{"large3", {.arch = "large3"}},
    Case{"large2", {.arch = "large2"}},
    Case{"large1", {.arch = "large1"}},
    Case{"linear_conv", {.arch = "linear_conv"}},
    Case{"nips_lstm", {.arch = "nips", .lstm = 32}},
    Case{"nips_separate", {.arch = "nips", .separate = true}},
    Case{"nature_dueling", {.arch = "nature", .dueling = true}},
    Case{"nips_pixel_mean", {.arch = "nips", .pixel_mean = 0.3}},
    Case{"mlp_images", {.arch = "mlp"}},
    Case{"odd", {.layers = "conv 20 5 3 tanh, conv 17 3 1 none, dense 33 tanh, dense 24"}},
    Case{"impala", {.arch = "impala"}},
    // A quarter of the pixels takes a quarter of the time; impala's sections see all of them.
    Case{"sections_lstm",
         {.layers = "section 8 1, section 17 2", .lstm = 16, .separate = true},
         true,
         42},
    Case{"mlp", {.arch = "mlp", .hidden = 200}, false},
    Case{"mlp_lstm", {.arch = "mlp", .lstm = 32, .separate = true}, false},
};

class AloneTest : public testing::TestWithParam<Case> {};

// Seen failing with forward() of the whole batch, for every network that libtorch or oneDNN
// computes.
TEST_P(AloneTest, ASampleDoesNotDependOnTheOthersOfItsBatch) {
  const auto spec = GetParam().pixels ? images(GetParam().side) : vectors();
  const auto architecture = make_architecture(GetParam().net, spec);
  std::vector<float> parameters(static_cast<std::size_t>(architecture.parameter_count()));
  Stream stream(3, 4);
  initialise(architecture, stream, parameters);
  const auto network = make_network(architecture, parameters, "cpu", Precision::fp32);

  constexpr std::int64_t kSamples = 19;
  const auto bytes = spec.observation_bytes();
  std::vector<std::byte> observations(kSamples * bytes);
  if (spec.dtype == DType::u8) {
    for (auto& byte : observations) byte = static_cast<std::byte>(stream.bits());
  } else {
    for (std::size_t at = 0; at < observations.size(); at += sizeof(float)) {
      const float number = stream.normal();
      std::memcpy(&observations[at], &number, sizeof(float));
    }
  }
  const auto state_size = static_cast<std::size_t>(architecture.state_size());
  std::vector<float> first_states(kSamples * state_size);
  for (auto& number : first_states) number = stream.normal();
  const std::vector<std::uint8_t> episode_starts(state_size > 0 ? kSamples : 0);

  // Returns the logits, values and states of all samples, computed in batches of this size.
  const auto in_batches = [&](std::int64_t size) {
    std::vector<float> logits(kSamples * 6), value(kSamples), states = first_states;
    for (std::int64_t first = 0; first < kSamples; first += size) {
      const auto count = std::min(size, kSamples - first);
      const auto cut = [&](auto& all) {
        const auto width = all.size() / kSamples;
        return std::span(all).subspan(static_cast<std::size_t>(first) * width,
                                      static_cast<std::size_t>(count) * width);
      };
      forward_alone(*network, {cut(observations), cut(states), cut(episode_starts)},
                    {count, 6, cut(logits), cut(value)});
    }
    logits.insert(logits.end(), value.begin(), value.end());
    logits.insert(logits.end(), states.begin(), states.end());
    return logits;
  };
  const auto alone = in_batches(1);
  for (const std::int64_t size : {2, 3, 8, 16, 19}) EXPECT_EQ(in_batches(size), alone) << size;
}

INSTANTIATE_TEST_SUITE_P(All, AloneTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tandem
