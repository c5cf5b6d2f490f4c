#include "tandem/nn/architecture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tandem/base/error.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

EnvSpec image_spec(std::int64_t height, std::int64_t width) {
  EnvSpec spec;
  spec.dtype = DType::u8;
  spec.frame_shape = {1, height, width};
  spec.stack = 4;
  spec.num_actions = 6;
  return spec;
}

Architecture named(const std::string& name, const EnvSpec& spec) {
  NetConfig config;
  config.arch = name;
  return make_architecture(config, spec);
}

TEST(Architecture, NipsIsThatOfTheWorkshopPaper) {
  const auto parameters = named("nips", image_spec(84, 84)).parameters();
  std::vector<std::string> names(parameters.size());
  std::ranges::transform(parameters, names.begin(), &ParameterInfo::name);
  EXPECT_THAT(names,
              testing::ElementsAre("conv1.weight", "conv1.bias", "conv2.weight", "conv2.bias",
                                   "dense1.weight", "dense1.bias", "policy.weight", "policy.bias",
                                   "value.weight", "value.bias"));
  EXPECT_THAT(parameters[0].shape, testing::ElementsAre(16, 4, 8, 8));
  EXPECT_THAT(parameters[2].shape, testing::ElementsAre(32, 16, 4, 4));
  EXPECT_THAT(parameters[4].shape, testing::ElementsAre(256, 32 * 9 * 9));
  EXPECT_THAT(parameters[6].shape, testing::ElementsAre(6, 256));
  EXPECT_THAT(parameters[8].shape, testing::ElementsAre(1, 256));
}

TEST(Architecture, HasNoValueHeadWhereNobodyWantsOne) {
  const auto with = named("nips", image_spec(84, 84));
  const auto without = make_architecture({.arch = "nips"}, image_spec(84, 84), false);
  EXPECT_EQ(with.outputs(), 7);
  EXPECT_EQ(without.outputs(), 6);
  EXPECT_EQ(without.parameters().back().name, "policy.bias");
  EXPECT_EQ(without.parameter_count(), with.parameter_count() - 257);
}

// Wang et al. 2016, section 4.2: "two streams", each with a layer of 512 units.
TEST(Architecture, ADuelingNetworkHasALastLayerForEachHead) {
  const auto architecture =
      make_architecture({.arch = "nature", .dueling = true}, image_spec(84, 84));
  const auto parameters = architecture.parameters();
  EXPECT_THAT(parameters[6].shape, testing::ElementsAre(2 * 512, 64 * 7 * 7));
  EXPECT_THAT(parameters[8].shape, testing::ElementsAre(6, 512));
  EXPECT_THAT(parameters[10].shape, testing::ElementsAre(1, 512));
  EXPECT_EQ(architecture.features(), 1024);
  EXPECT_EQ(architecture.head_inputs(), 512);
}

TEST(Architecture, NatureIsThatOfTheNaturePaper) {
  const auto parameters = named("nature", image_spec(84, 84)).parameters();
  EXPECT_THAT(parameters[0].shape, testing::ElementsAre(32, 4, 8, 8));
  EXPECT_THAT(parameters[2].shape, testing::ElementsAre(64, 32, 4, 4));
  EXPECT_THAT(parameters[4].shape, testing::ElementsAre(64, 64, 3, 3));
  EXPECT_THAT(parameters[6].shape, testing::ElementsAre(512, 64 * 7 * 7));
}

TEST(Architecture, ParametersLieOneAfterAnother) {
  for (const auto* name : {"nature", "impala"}) {
    const auto architecture = named(name, image_spec(84, 84));
    std::int64_t next = 0;
    for (const auto& info : architecture.parameters()) {
      EXPECT_EQ(info.offset, next) << info.name;
      next += info.count;
    }
    EXPECT_EQ(architecture.parameter_count(), next);
  }
}

std::vector<std::string> names_of(const Architecture& architecture) {
  std::vector<std::string> names;
  for (const auto& info : architecture.parameters()) names.push_back(info.name);
  return names;
}

// Espeholt et al. 2018, Figure 3: "15 convolutional layers". The image is halved three times.
TEST(Architecture, ImpalaIsTheDeepNetworkOfItsPaper) {
  const auto architecture = named("impala", image_spec(84, 83));
  const auto names = names_of(architecture);
  ASSERT_EQ(names.size(), 2 * 15 + 2 + 4);
  EXPECT_THAT(std::vector(names.begin(), names.begin() + 12),
              testing::ElementsAre("section1.conv.weight", "section1.conv.bias",
                                   "section1.block1.conv1.weight", "section1.block1.conv1.bias",
                                   "section1.block1.conv2.weight", "section1.block1.conv2.bias",
                                   "section1.block2.conv1.weight", "section1.block2.conv1.bias",
                                   "section1.block2.conv2.weight", "section1.block2.conv2.bias",
                                   "section2.conv.weight", "section2.conv.bias"));
  const auto parameters = architecture.parameters();
  EXPECT_THAT(parameters[0].shape, testing::ElementsAre(16, 4, 3, 3));
  EXPECT_THAT(parameters[2].shape, testing::ElementsAre(16, 16, 3, 3));
  EXPECT_THAT(parameters[10].shape, testing::ElementsAre(32, 16, 3, 3));
  EXPECT_THAT(parameters[30].shape, testing::ElementsAre(256, 32 * 11 * 11));
  EXPECT_THAT(architecture.output_shapes()[0], testing::ElementsAre(16, 42, 42));
  EXPECT_EQ(architecture.torso[1].activation, Activation::none);
  EXPECT_EQ(architecture.torso[2].activation, Activation::relu);
  EXPECT_EQ(named("impala", image_spec(1, 1)).parameters()[30].shape[1], 32);
}

// Kurach et al. 2019: four sections over planes of 72x96.
TEST(Architecture, FootballHasASectionMore) {
  const auto parameters = named("football", image_spec(72, 96)).parameters();
  ASSERT_EQ(parameters.size(), 2 * 20 + 2 + 4);
  EXPECT_EQ(parameters[30].name, "section4.conv.weight");
  EXPECT_THAT(parameters[40].shape, testing::ElementsAre(256, 32 * 5 * 6));
}

TEST(Architecture, MlpFlattensAnyObservation) {
  NetConfig config{.arch = "mlp", .hidden = 10};
  const auto parameters = make_architecture(config, image_spec(5, 3)).parameters();
  EXPECT_THAT(parameters[0].shape, testing::ElementsAre(10, 4 * 5 * 3));
  EXPECT_THAT(parameters[2].shape, testing::ElementsAre(10, 10));
  EXPECT_EQ(parameters[0].fan_in, 60);
  EXPECT_EQ(parameters[1].fan_in, 60);
}

TEST(Architecture, GivenLayersAreTheNetwork) {
  const auto architecture = make_architecture(
      {.layers = "conv 10 5 3 none, dense 9 tanh", .dueling = true}, image_spec(20, 23));
  EXPECT_EQ(architecture.name, "layers");
  EXPECT_EQ(architecture.torso[0].activation, Activation::none);
  const auto parameters = architecture.parameters();
  EXPECT_THAT(parameters[0].shape, testing::ElementsAre(10, 4, 5, 5));
  EXPECT_THAT(parameters[2].shape, testing::ElementsAre(2 * 9, 10 * 6 * 7));
  EXPECT_THAT(parameters[4].shape, testing::ElementsAre(6, 9));
}

TEST(Architecture, OnlyADuelingNetworkScalesTheGradientOfItsStreams) {
  NetConfig config{.arch = "nature", .dueling = true, .dueling_gradient_scale = 0.5};
  EXPECT_EQ(make_architecture(config, image_spec(84, 84)).dueling_gradient_scale, 0.5F);
  config.dueling = false;
  EXPECT_EQ(make_architecture(config, image_spec(84, 84)).dueling_gradient_scale, 1.0F);
}

TEST(Architecture, GivenLayersThatDoNotFitAreNamed) {
  EnvSpec vector;
  vector.frame_shape = {7};
  vector.num_actions = 2;
  EXPECT_THAT([&] { make_architecture({.layers = "conv 4 3 1"}, vector); },
              ThrowsMessage<Error>(testing::AllOf(HasSubstr("net.layers: "),
                                                  HasSubstr("the observation is 7"),
                                                  HasSubstr("dense layers alone"))));
  EXPECT_THAT(
      [&] { make_architecture({.layers = "conv 4 3 1, conv 4 9 1"}, image_spec(8, 8)); },
      ThrowsMessage<Error>(testing::AllOf(HasSubstr("net.layers: "), HasSubstr("image of 6x6"),
                                          HasSubstr("smaller kernels"))));
}

TEST(Architecture, SaysWhatDoesNotFitAndWhatToDo) {
  EnvSpec vector;
  vector.frame_shape = {7};
  vector.num_actions = 2;
  EXPECT_THAT([&] { named("nips", vector); },
              ThrowsMessage<Error>(testing::AllOf(HasSubstr("the observation is 7"),
                                                  HasSubstr("net.arch = \"mlp\""))));
  EXPECT_THAT([&] { named("nips", image_spec(84, 7)); },
              ThrowsMessage<Error>(
                  testing::AllOf(HasSubstr("8x8 convolution"), HasSubstr("image of 84x7"))));
  // The first convolution leaves an image too small for the second.
  EXPECT_THAT([&] { named("nature", image_spec(16, 16)); },
              ThrowsMessage<Error>(testing::AllOf(HasSubstr("4x16x16 is too small"),
                                                  HasSubstr("4x4 convolution"),
                                                  HasSubstr("image of 3x3"))));
  EXPECT_THAT([&] { named("impala", vector); },
              ThrowsMessage<Error>(HasSubstr("the observation is 7")));
  EXPECT_THAT([&] { named("resnet", image_spec(84, 84)); },
              ThrowsMessage<Error>(HasSubstr("use one of nips, nature")));
  EXPECT_THAT([&] { make_architecture({.arch = "mlp", .separate = true}, vector, false); },
              ThrowsMessage<Error>(HasSubstr("net.separate")));
  EXPECT_THAT([&] { make_architecture({.arch = "mlp", .dueling = true}, vector, false); },
              ThrowsMessage<Error>(HasSubstr("net.dueling")));
  EXPECT_THAT(
      [&] { make_architecture({.arch = "linear_conv", .dueling = true}, image_spec(84, 84)); },
      ThrowsMessage<Error>(HasSubstr("net.dueling")));
  EXPECT_THAT([&] { make_architecture({.arch = "mlp", .pixel_mean = 0.3}, vector); },
              ThrowsMessage<Error>(HasSubstr("net.pixel_mean")));
}

TEST(Architecture, ContinuousActionsHaveANumberForEachDimensionAndOneMore) {
  EnvSpec spec;
  spec.frame_shape = {7};
  spec.action_low = {-1, -2};
  spec.action_high = {1, 2};
  EXPECT_EQ(named("mlp", spec).policy_outputs, 3);
}

TEST(Architecture, SeparateNetworksHaveATorsoAndCellsEach) {
  EnvSpec spec;
  spec.frame_shape = {7};
  spec.num_actions = 2;
  const auto architecture = make_architecture(
      {.arch = "mlp", .hidden = 20, .depth = 1, .lstm = 5, .separate = true}, spec);
  EXPECT_THAT(names_of(architecture),
              testing::ElementsAre(
                  "actor.dense1.weight", "actor.dense1.bias", "actor.lstm.weight_ih",
                  "actor.lstm.bias", "actor.lstm.weight_hh", "policy.weight", "policy.bias",
                  "critic.dense1.weight", "critic.dense1.bias", "critic.lstm.weight_ih",
                  "critic.lstm.bias", "critic.lstm.weight_hh", "value.weight", "value.bias"));
  EXPECT_EQ(architecture.state_size(), 20);
  std::int64_t next = 0;
  for (const auto& info : architecture.parameters()) {
    EXPECT_EQ(info.offset, next) << info.name;
    next += info.count;
  }
}

EnvSpec continuous_spec() {
  EnvSpec spec;
  spec.frame_shape = {67};
  spec.action_low = std::vector<float>(21, -1);
  spec.action_high = std::vector<float>(21, 1);
  return spec;
}

// Ape-X, appendix D: the actor has layers of 300 and 200 units, the critic of 400 and 300. The
// critic takes the action as an input, too.
TEST(Architecture, DpgIsAPolicyAndACriticOfActions) {
  const auto architecture = make_architecture({.arch = "dpg"}, continuous_spec());
  const auto parameters = architecture.parameters();
  EXPECT_THAT(
      names_of(architecture),
      testing::ElementsAre("actor.dense1.weight", "actor.dense1.bias", "actor.dense2.weight",
                           "actor.dense2.bias", "policy.weight", "policy.bias",
                           "critic.dense1.weight", "critic.dense1.bias", "critic.dense2.weight",
                           "critic.dense2.bias", "value.weight", "value.bias"));
  EXPECT_THAT(parameters[0].shape, testing::ElementsAre(300, 67));
  EXPECT_THAT(parameters[2].shape, testing::ElementsAre(200, 300));
  EXPECT_THAT(parameters[4].shape, testing::ElementsAre(21, 200));
  EXPECT_THAT(parameters[6].shape, testing::ElementsAre(400, 67 + 21));
  EXPECT_THAT(parameters[8].shape, testing::ElementsAre(300, 400));
  EXPECT_THAT(parameters[10].shape, testing::ElementsAre(1, 300));
  std::int64_t next = 0;
  for (const auto& info : parameters) {
    EXPECT_EQ(info.offset, next) << info.name;
    next += info.count;
  }
  EXPECT_TRUE(architecture.deterministic());
  EXPECT_EQ(architecture.outputs(), 22);
  for (const auto& part : {architecture.policy_part(), architecture.value_part()}) {
    EXPECT_EQ(part.torso[0].activation, Activation::tanh);
    EXPECT_EQ(part.torso[1].activation, Activation::relu);
    EXPECT_FALSE(part.deterministic());
  }
}

TEST(Architecture, DpgNeedsNumbersAndBoundedActions) {
  const auto error_of = [](const NetConfig& config, const EnvSpec& spec, bool value_head = true) {
    return tandem::error_of([&] { (void)make_architecture(config, spec, value_head); });
  };
  const NetConfig dpg{.arch = "dpg"};
  EXPECT_EQ(error_of(dpg, continuous_spec()), "");
  EXPECT_THAT(error_of(dpg, image_spec(84, 84)), HasSubstr("discrete actions or shows pixels"));
  auto pixels = continuous_spec();
  pixels.dtype = DType::u8;
  EXPECT_THAT(error_of(dpg, pixels), HasSubstr("discrete actions or shows pixels"));
  auto unbounded = continuous_spec();
  unbounded.action_low[3] = -1e10F;
  EXPECT_THAT(error_of(dpg, unbounded), HasSubstr("dimension 3"));
  unbounded.action_low[3] = 1;
  EXPECT_THAT(error_of(dpg, unbounded), HasSubstr("dimension 3 are 1 and 1"));
  EXPECT_THAT(error_of({.arch = "dpg", .lstm = 3}, continuous_spec()), HasSubstr("net.lstm"));
  EXPECT_THAT(error_of({.arch = "dpg", .dueling = true}, continuous_spec()),
              HasSubstr("net.dueling"));
  EXPECT_THAT(error_of(dpg, continuous_spec(), false), HasSubstr("algo = dpg"));
}

TEST(Architecture, SmallestImagesThatFit) {
  // nips reduces an image of 20x20 to 1x1; nature needs at least 36x36.
  EXPECT_NO_THROW(named("nips", image_spec(20, 20)));
  EXPECT_THROW(named("nips", image_spec(19, 20)), Error);
  EXPECT_NO_THROW(named("nature", image_spec(36, 36)));
  EXPECT_THROW(named("nature", image_spec(36, 35)), Error);
}

std::vector<float> initial(const Architecture& architecture) {
  std::vector<float> parameters(architecture.parameter_count());
  Stream stream(1, 2);
  initialise(architecture, stream, parameters);
  return parameters;
}

// Expects values uniform over [-bound, bound]. With fewer than 1000, checks only the bound.
void expect_uniform(std::span<const float> values, double bound, const std::string& name) {
  double squares = 0;
  float largest = 0;
  for (const float value : values) {
    squares += value * value;
    largest = std::max(largest, std::abs(value));
  }
  EXPECT_LE(largest, bound) << name;
  if (values.size() < 1000) return;
  EXPECT_GT(largest, 0.98 * bound) << name;
  const double variance = bound * bound / 3;
  EXPECT_NEAR(squares / static_cast<double>(values.size()), variance, 0.15 * variance) << name;
}

TEST(Architecture, InitialisesUniformlyByFanIn) {
  auto architecture = named("nips", image_spec(84, 84));
  architecture.init = "torch";
  const auto parameters = initial(architecture);
  for (const auto& info : architecture.parameters()) {
    expect_uniform(std::span(parameters).subspan(info.offset, info.count),
                   1 / std::sqrt(static_cast<double>(info.fan_in)), info.name);
  }
}

TEST(Architecture, InitialisesAsHeWithAnIndifferentPolicy) {
  auto architecture = named("nips", image_spec(84, 84));
  architecture.init = "he";
  const auto parameters = initial(architecture);
  for (const auto& info : architecture.parameters()) {
    double variance = 2.0;  // times 1 / fan_in
    if (info.name == "value.weight") variance = 1.0;
    if (info.name == "policy.weight") variance = 1e-4;
    if (info.name.ends_with("bias")) variance = 0.0;
    expect_uniform(std::span(parameters).subspan(info.offset, info.count),
                   1.00001 * std::sqrt(3 * variance / static_cast<double>(info.fan_in)), info.name);
  }
}

// The first convolution of a section follows no ReLU, and the last ones of the six blocks share one
// part of the variance.
TEST(Architecture, InitialisesSectionsSoThatSignalsKeepTheirSize) {
  auto architecture = named("impala", image_spec(20, 20));
  architecture.init = "he";
  const auto parameters = initial(architecture);
  for (const auto& info : architecture.parameters()) {
    if (!info.name.starts_with("section") || info.name.ends_with("bias")) continue;
    double variance = 2.0;  // times 1 / fan_in
    if (info.name.ends_with(".conv.weight")) variance = 1.0;
    if (info.name.ends_with(".conv2.weight")) variance = 2.0 / 6;
    expect_uniform(std::span(parameters).subspan(info.offset, info.count),
                   1.00001 * std::sqrt(3 * variance / static_cast<double>(info.fan_in)), info.name);
  }
}

// Lillicrap et al. 2016, section 7.
TEST(Architecture, InitialisesAsDdpgWithFirstOutputsNearZero) {
  const auto architecture = make_architecture({.arch = "dpg", .init = "ddpg"}, continuous_spec());
  const auto parameters = initial(architecture);
  for (const auto& info : architecture.parameters()) {
    const bool head = info.name.starts_with("policy.") || info.name.starts_with("value.");
    expect_uniform(std::span(parameters).subspan(info.offset, info.count),
                   head ? 3e-3 : 1 / std::sqrt(static_cast<double>(info.fan_in)), info.name);
  }
}

// The second quarter of the biases belongs to the forget gates.
TEST(Architecture, InitialisesAnLstmAsPytorchOrSoThatItRemembers) {
  EnvSpec spec;
  spec.frame_shape = {400};
  spec.num_actions = 2;
  for (const std::string init : {"torch", "he"}) {
    const bool he = init == "he";
    const auto architecture = make_architecture(
        {.arch = "mlp", .hidden = 300, .lstm = 100, .separate = true, .init = init}, spec);
    const auto parameters = initial(architecture);
    for (const auto& info : architecture.parameters()) {
      if (info.name.find("lstm.") == std::string::npos) continue;
      const auto values = std::span(parameters).subspan(info.offset, info.count);
      if (he && info.name.ends_with("bias")) {
        for (std::size_t i = 0; i < values.size(); ++i) {
          ASSERT_EQ(values[i], i / 100 == 1 ? 1.0f : 0.0f) << info.name << " " << i;
        }
        continue;
      }
      const auto fan_in = static_cast<double>(info.fan_in);
      expect_uniform(values, he ? 1.00001 * std::sqrt(3 / fan_in) : 1 / std::sqrt(100.0),
                     info.name);
    }
  }
}

}  // namespace
}  // namespace tandem
