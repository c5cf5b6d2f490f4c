// Reads golden files, which hold results of PyTorch (see make_golden.py), and makes their inputs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace tandem {

/// Word `i`, of 32 bits, in the stream `salt`. Computes the same as `bits` in golden_inputs.py.
inline std::uint32_t golden_bits(std::uint32_t i, std::uint32_t salt) {
  std::uint32_t word = (i + salt * 0x9E3779B9u) * 2654435761u;
  word = (word ^ (word >> 15)) * 2246822519u;
  return word ^ (word >> 13);
}

/// Numbers in [-1, 1). Computes the same as `numbers` in golden_inputs.py.
inline std::vector<float> golden_numbers(std::size_t count, std::uint32_t salt) {
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto word = golden_bits(static_cast<std::uint32_t>(i), salt);
    numbers[i] = static_cast<float>(word >> 8) / (1 << 23) - 1.0f;
  }
  return numbers;
}

/// Image bytes. Computes the same as `pixels` in golden_inputs.py.
inline std::vector<std::uint8_t> golden_pixels(std::size_t count, std::uint32_t salt) {
  std::vector<std::uint8_t> pixels(count);
  for (std::size_t i = 0; i < count; ++i) {
    pixels[i] = static_cast<std::uint8_t>(golden_bits(static_cast<std::uint32_t>(i), salt) >> 24);
  }
  return pixels;
}

/// The cases of one golden file.
inline nlohmann::json golden_cases(const std::string& name) {
  std::ifstream file(std::string(TANDEM_SOURCE_DIR) + "/tests/golden/" + name + ".json");
  return nlohmann::json::parse(file);
}

/// For INSTANTIATE_TEST_SUITE_P: the indices of a golden file's cases.
inline auto golden_indices(const std::string& file) {
  return testing::Range(0, static_cast<int>(golden_cases(file).size()));
}

/// For INSTANTIATE_TEST_SUITE_P: the names of a golden file's cases.
struct GoldenName {
  std::string file;

  std::string operator()(const testing::TestParamInfo<int>& info) const {
    return golden_cases(file).at(info.param)["name"];
  }
};

/// Expects equality to 1e-5 of the value, or of the typical size of its neighbours if that is
/// larger.
inline void expect_near(double actual, double expected, double typical, const std::string& what) {
  EXPECT_NEAR(actual, expected, 1e-5 * std::max(std::abs(expected), typical)) << what;
}

/// Compares all elements; their typical size is their root mean square.
inline void expect_near(std::span<const float> actual, const std::vector<double>& expected,
                        const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  double squares = 0;
  for (const double value : expected) squares += value * value;
  const double typical = std::sqrt(squares / static_cast<double>(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expect_near(actual[i], expected[i], typical, what + ", element " + std::to_string(i));
  }
}

}  // namespace tandem
