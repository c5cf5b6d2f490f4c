#include "tandem/nn/kernels/relu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tandem {
namespace {

TEST(Relu, ForwardKeepsWhatIsPositiveAndNan) {
  const std::vector<float> x{-1, -0.0F, 0, 2, std::nanf(""), -1e30F};
  std::vector<float> out(x.size());
  std::vector<Bfloat16> in(x.size()), rounded(x.size()), both(x.size());
  relu_forward(x.size(), x.data(), out.data());
  relu_forward(x.size(), x.data(), rounded.data());
  std::ranges::transform(x, in.begin(), to_bfloat16);
  relu_forward(x.size(), in.data(), both.data());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i])) {
      EXPECT_TRUE(std::isnan(out[i]));
      EXPECT_TRUE(std::isnan(from_bfloat16(both[i])));
      continue;
    }
    EXPECT_EQ(out[i], std::max(x[i], 0.0F));
    EXPECT_EQ(from_bfloat16(rounded[i]), std::max(x[i], 0.0F));
    EXPECT_EQ(from_bfloat16(both[i]), std::max(x[i], 0.0F));
  }
}

TEST(Relu, GradientsThatPassAreAdded) {
  const std::vector<float> y{0, 3, 0, 1}, d{5, 6, 7, 8}, base{1, 2, 3, 4};
  const std::vector<float> expected{1, 8, 3, 12};
  std::vector<float> out = base;
  add_relu_backward(4, y.data(), d.data(), out.data(), out.data());
  EXPECT_EQ(out, expected);
  const auto rounded = [](const std::vector<float>& numbers) {
    std::vector<Bfloat16> result(numbers.size());
    std::ranges::transform(numbers, result.begin(), to_bfloat16);
    return result;
  };
  std::vector<Bfloat16> sums(4);
  add_relu_backward(4, rounded(y).data(), rounded(d).data(), rounded(base).data(), sums.data());
  EXPECT_EQ(sums, rounded(expected));
}

}  // namespace
}  // namespace tandem
