#include "tandem/nn/kernels/lstm_cell.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace tandem {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// One cell for each number of a list; all four gates of the cell have this number.
struct EqualCells {
  explicit EqualCells(const std::vector<float>& numbers) : units(numbers.size()) {
    for (int gate = 0; gate < 4; ++gate) gates.insert(gates.end(), numbers.begin(), numbers.end());
  }
  LstmCells view() {
    return {units, gates.data(), c_before.data(), c.data(), tanh_c.data(), h.data()};
  }

  std::size_t units;
  std::vector<float> gates = {};
  std::vector<float> c_before = std::vector<float>(units, 0.5f);
  std::vector<float> c = std::vector<float>(units);
  std::vector<float> tanh_c = c;
  std::vector<float> h = c;
};

TEST(LstmCell, IsThatOfTheStandardLibraryOverTheWholeRange) {
  std::vector<float> numbers;
  for (float x = -40; x < 40; x += 0.01f) numbers.push_back(x);
  for (const float x : {1e-6f, 1e-3f, -1e-4f, 0.6249999f, 0.625f, -0.625f}) numbers.push_back(x);
  EqualCells cells(numbers);
  lstm_forward(cells.view());
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const double x = numbers[k];
    const double c = sigmoid(x) * 0.5 + sigmoid(x) * std::tanh(x);
    const double h = sigmoid(x) * std::tanh(c);
    ASSERT_NEAR(cells.gates[k], sigmoid(x), 3e-7 * sigmoid(x)) << x;
    ASSERT_NEAR(cells.gates[2 * cells.units + k], std::tanh(x), 3e-7 * std::abs(std::tanh(x))) << x;
    ASSERT_NEAR(cells.c[k], c, 1e-6 * std::abs(c) + 1e-7) << x;
    ASSERT_NEAR(cells.h[k], h, 1e-6 * std::abs(h) + 1e-7) << x;
  }
}

// A NaN must not be clipped to a number, because runs end when they meet one.
TEST(LstmCell, KeepsNanAndSaturates) {
  EqualCells cells({std::nanf(""), kInfinity, -kInfinity, 1e30f, -1e30f});
  lstm_forward(cells.view());
  EXPECT_TRUE(std::isnan(cells.h[0]));
  EXPECT_TRUE(std::isnan(cells.c[0]));
  for (const int large : {1, 3}) {
    EXPECT_FLOAT_EQ(cells.c[large], 1.5f);
    EXPECT_FLOAT_EQ(cells.h[large], std::tanh(1.5f));
  }
  for (const int small : {2, 4}) {
    EXPECT_NEAR(cells.c[small], 0.0f, 1e-30f);
    EXPECT_NEAR(cells.h[small], 0.0f, 1e-30f);
  }
}

}  // namespace
}  // namespace tandem
