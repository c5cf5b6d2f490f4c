#include "tandem/nn/arithmetic.h"

#include <gtest/gtest.h>

#include "tests/nn/network_contract.h"

namespace tandem {
namespace {

EnvSpec numbers() {
  EnvSpec spec;
  spec.frame_shape = {4};
  spec.num_actions = 2;
  return spec;
}

// All by hand: outputs x inputs of each layer, times its places.
constexpr double kConv1 = 20.0 * 20 * 16 * 4 * 8 * 8;
constexpr double kConv2 = 9.0 * 9 * 32 * 16 * 4 * 4;
constexpr double kDense = 256.0 * (32 * 9 * 9);

// Seen failing with a convolution's channels left out.
TEST(Arithmetic, OfConvolutions) {
  const auto nips = arithmetic_of(make_architecture({.arch = "nips"}, Atari::spec()));
  const double products = kConv1 + kConv2 + kDense + 256 * (6 + 1);
  EXPECT_DOUBLE_EQ(nips.forward, 2 * products);
  // The first layer needs no gradient of the pixels. Seen failing without that.
  EXPECT_DOUBLE_EQ(nips.backward, 2 * (2 * products - kConv1));
}

TEST(Arithmetic, OfAnLstmThatTakesTheTorsosPlace) {
  const auto recurrent =
      arithmetic_of(make_architecture({.arch = "nips", .lstm = 128}, Atari::spec()));
  const double lstm = 4.0 * 128 * (256 + 128);
  EXPECT_DOUBLE_EQ(recurrent.forward, 2 * (kConv1 + kConv2 + kDense + lstm + 128 * (6 + 1)));
}

TEST(Arithmetic, OfBothNetworksIfTheyAreSeparate) {
  NetConfig config{.arch = "mlp", .hidden = 8, .depth = 1, .separate = true};
  const auto both = arithmetic_of(make_architecture(config, numbers()));
  EXPECT_DOUBLE_EQ(both.forward, 2 * (2 * 4 * 8 + 8 * 2 + 8 * 1));
}

// Each stream reads its half of the last layer.
TEST(Arithmetic, OfDuelingHeads) {
  NetConfig config{.arch = "mlp", .hidden = 8, .depth = 1, .dueling = true};
  const auto architecture = make_architecture(config, numbers());
  const double half = 0.5 * static_cast<double>(architecture.features());
  const double torso = 4.0 * static_cast<double>(architecture.features());
  EXPECT_DOUBLE_EQ(arithmetic_of(architecture).forward, 2 * (torso + half * (2 + 1)));
}

// A convolution at full size, then a pool that halves it, then four convolutions for two blocks.
TEST(Arithmetic, OfResidualSections) {
  NetConfig config{.layers = "section 16 2"};
  const auto architecture = make_architecture(config, Atari::spec());
  const double first = 84.0 * 84 * 16 * 4 * 9;
  const double blocks = 4 * 42.0 * 42 * 16 * 16 * 9;
  const double heads = 16.0 * 42 * 42 * 7;
  EXPECT_DOUBLE_EQ(arithmetic_of(architecture).forward, 2 * (first + blocks + heads));
  EXPECT_DOUBLE_EQ(arithmetic_of(architecture).backward, 2 * (first + 2 * blocks + 2 * heads));
}

}  // namespace
}  // namespace tandem
