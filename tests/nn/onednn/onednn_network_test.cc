#include "tandem/nn/onednn/onednn_network.h"

#include "tandem/base/error.h"
#include "tandem/nn/activation_recorder.h"
#include "tandem/nn/batch.h"
#include "tests/nn/network_contract.h"
#include "tests/support/allocations.h"

namespace tandem {
namespace {

/// Whether this CPU computes in bfloat16.
bool has_bf16() {
  Atari atari;
  try {
    make_onednn_network(atari.architecture, atari.parameters, Precision::bf16);
  } catch (const Error&) {
    return false;
  }
  return true;
}

NetworkCase in_precision(const std::string& name, Precision precision, double rounding,
                         const NetConfig& net = {}) {
  return {name,
          [precision](const auto& architecture, auto parameters) {
            return make_onednn_network(architecture, parameters, precision);
          },
          rounding, net};
}

/// Numbers of filters that fill no register, a stride that cells do not support, and every
/// activation.
const NetConfig kOdd{.layers = "conv 20 8 5 tanh, conv 18 4 3 none, conv 24 3 1, dense 70 tanh"};

/// Sections over cells and over each other, of channels that fill no register, the last without a
/// dense layer behind it.
const NetConfig kSections{.layers = "conv 16 4 2, section 16 1, section 20 2 tanh"};

std::vector<NetworkCase> cases() {
  std::vector<NetworkCase> cases{in_precision("fp32", Precision::fp32, 1e-5),
                                 in_precision("fp32_odd", Precision::fp32, 1e-5, kOdd),
                                 in_precision("fp32_sections", Precision::fp32, 1e-5, kSections),
                                 in_precision("fp32_mlp", Precision::fp32, 1e-5, {.arch = "mlp"})};
  if (!has_bf16()) return cases;
  // Features are rounded to bfloat16 in the same way in any batch; sums over samples stay in fp32.
  cases.push_back(in_precision("bf16", Precision::bf16, 1e-4));
  cases.push_back(in_precision("bf16_odd", Precision::bf16, 1e-4, kOdd));
  cases.push_back(in_precision("bf16_sections", Precision::bf16, 1e-4, kSections));
  cases.push_back(in_precision("bf16_mlp", Precision::bf16, 1e-4, {.arch = "mlp"}));
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Onednn, NetworkContract, testing::ValuesIn(cases()), network_name);

class OnednnNetwork : public testing::TestWithParam<std::string> {};

TEST_P(OnednnNetwork, Bf16IsNearFp32) {
  if (!has_bf16()) GTEST_SKIP() << "this CPU has no bfloat16";
  const Atari atari({.arch = GetParam(), .init = "torch"});
  Outputs outputs[2];
  std::vector<float> gradients[2] = {std::vector<float>(atari.parameters.size()),
                                     std::vector<float>(atari.parameters.size())};
  for (const auto precision : {Precision::fp32, Precision::bf16}) {
    const int i = precision == Precision::bf16;
    const auto network = make_onednn_network(atari.architecture, atari.parameters, precision);
    network->forward({atari.observations}, outputs[i].heads());
    differentiate(*network, atari, gradients[i]);
  }
  // bfloat16 keeps 8 bits: each rounding changes a number by up to 2^-9, or 0.1 % on average. The
  // heads are the last of three to five layers, each of which rounds its inputs and weights.
  // Gradients pass the same layers on their way back, and ReLUs may have flipped. Measured: 0.2 %,
  // 0.2 % and 1 %.
  EXPECT_LT(distance(outputs[1].logits, outputs[0].logits), 0.01);
  EXPECT_LT(distance(outputs[1].value, outputs[0].value), 0.01);
  EXPECT_LT(distance(gradients[1], gradients[0]), 0.02);
  EXPECT_GT(distance(gradients[1], gradients[0]), 1e-4);  // it is not fp32
}

INSTANTIATE_TEST_SUITE_P(All, OnednnNetwork,
                         testing::Values("nips", "nature", "large3", "linear_conv", "impala",
                                         "mlp"));

TEST(OnednnNetwork, AllocatesNothingForASample) {
  // The remaining allocations are oneDNN's tables of arguments, seven for each of its primitives,
  // which run once for several samples. Seen failing with a vector for each sample in
  // OnednnNetwork::run.
  Atari atari;
  const auto network = make_onednn_network(atari.architecture, atari.parameters, Precision::fp32);
  Outputs outputs;
  std::vector<float> gradient(atari.parameters.size());
  const auto allocations = [&](std::int64_t batch) {
    const AllocationCount count;
    network->forward({rows_of(atari, 0, batch)}, rows_of(outputs, 0, batch));
    return count.so_far();
  };
  differentiate(*network, atari, gradient);
  allocations(Atari::kBatch);
  allocations(Atari::kBatch - 1);
  allocations(1);
  const auto one = allocations(1);
  EXPECT_LE(one, 60);
  EXPECT_LE(allocations(Atari::kBatch), 4 * one);
  EXPECT_EQ(allocations(Atari::kBatch - 1), allocations(Atari::kBatch));
  EXPECT_EQ(allocations(1), one);
}

TEST(OnednnNetwork, TakesObservationsFromSeveralPlaces) {
  // Some pieces end within a tile, and some hold several tiles. Seen failing when the next tile
  // began with a piece's first sample again.
  Atari atari;
  const auto network = make_onednn_network(atari.architecture, atari.parameters, Precision::fp32);
  Outputs at_once, in_pieces;
  network->forward({atari.observations}, at_once.heads());
  Pieces pieces;
  std::int64_t first = 0;
  for (const std::int64_t count : {1, 13, 3, 7}) {
    pieces.add(rows_of(atari, first, count));
    first += count;
  }
  ASSERT_EQ(first, Atari::kBatch);
  network->forward(pieces.inputs_of(*network), in_pieces.heads());
  EXPECT_EQ(in_pieces.logits, at_once.logits);
  EXPECT_EQ(in_pieces.value, at_once.value);

  Inputs both = pieces.inputs_of(*network);
  EXPECT_THROW(forward_alone(*network, both, at_once.heads()), std::logic_error);
  pieces.clear();
  pieces.add(rows_of(atari, 0, 12));
  both = pieces.inputs_of(*network);
  both.observations = rows_of(atari, 12, Atari::kBatch - 12);
  EXPECT_THROW(network->forward(both, at_once.heads()), std::logic_error);

  pieces.clear();
  pieces.add(std::span(atari.observations).first(100));
  pieces.add(std::span(atari.observations).subspan(100));
  EXPECT_THROW(network->forward(pieces.inputs_of(*network), at_once.heads()), std::logic_error);
}

}  // namespace
}  // namespace tandem
