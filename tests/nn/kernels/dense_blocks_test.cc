#include "tandem/nn/kernels/dense_blocks.h"

#include <gtest/gtest.h>

#include <vector>

#include "tandem/base/random.h"

namespace tandem {
namespace {

constexpr BlockShape kShape{.outputs = 128, .inputs = 96};

std::vector<float> matrix() {
  std::vector<float> weights(static_cast<std::size_t>(kShape.outputs * kShape.inputs));
  Stream stream(1, 2);
  for (auto& weight : weights) weight = stream.normal();
  return weights;
}

/// Calls `check` for each weight with the number of its block, and its input and output there.
template <class Check>
void for_each_weight(Check check) {
  for (std::int64_t o = 0; o < kShape.outputs; ++o) {
    for (std::int64_t i = 0; i < kShape.inputs; ++i) {
      const auto block = o / 64 * (kShape.inputs / 16) + i / 16;
      check(static_cast<std::size_t>(o * kShape.inputs + i), block, i % 16, o % 64);
    }
  }
}

// Seen failing with two of the transposition's quarters exchanged.
TEST(DenseBlocks, HaveEachWeightAtItsPlace) {
  if (!kShape.supported()) GTEST_SKIP() << "this CPU has no AVX-512";
  const auto weights = matrix();
  std::vector<float> blocks(weights.size());
  pack_blocks(kShape, weights.data(), blocks.data());
  for_each_weight([&](std::size_t at, std::int64_t block, std::int64_t in, std::int64_t out) {
    ASSERT_EQ(blocks[static_cast<std::size_t>(block * 1024 + in * 64 + out)], weights[at]);
  });
}

// Seen failing when a tie was rounded up.
TEST(DenseBlocks, HaveEachBfloat16AtItsPlace) {
  if (!kShape.supported()) GTEST_SKIP() << "this CPU has no AVX-512";
  auto weights = matrix();
  weights[0] = 1.0F + 0x1p-8F;  // between 1 and the next bfloat16, whose last bit is odd
  std::vector<Bfloat16> blocks(weights.size());
  pack_blocks(kShape, weights.data(), blocks.data());
  for_each_weight([&](std::size_t at, std::int64_t block, std::int64_t in, std::int64_t out) {
    const auto place = block * 1024 + in / 2 * 128 + out * 2 + in % 2;
    ASSERT_EQ(blocks[static_cast<std::size_t>(place)], to_bfloat16(weights[at]));
  });
}

TEST(DenseBlocks, AreWhole) {
  EXPECT_FALSE((BlockShape{.outputs = 96, .inputs = 96}.supported()));
  EXPECT_FALSE((BlockShape{.outputs = 64, .inputs = 80}.supported()));
}

}  // namespace
}  // namespace tandem
