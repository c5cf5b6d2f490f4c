#include "tests/support/linear_network.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tandem {
namespace {

EnvSpec vector_spec() {
  EnvSpec spec;
  spec.frame_shape = {3};
  spec.num_actions = 2;
  return spec;
}

TEST(LinearNetwork, ComputesBothHeads) {
  const auto architecture = linear_architecture(vector_spec());
  const std::vector<float> parameters{1, 2, 3, 4, 5, 6, 0.5f, -0.5f, 7, 8, 9, 10};
  ASSERT_EQ(architecture.parameter_count(), 12);
  LinearNetwork network(architecture, parameters);
  const std::vector<float> x{1, 0, -1};
  std::vector<float> logits(2), value(1);
  network.forward({std::as_bytes(std::span(x))}, {1, 2, logits, value});
  EXPECT_EQ(logits, (std::vector<float>{-1.5f, -2.5f}));
  EXPECT_EQ(value, (std::vector<float>{8}));
}

TEST(LinearNetwork, DividesBytesBy255) {
  auto spec = vector_spec();
  spec.dtype = DType::u8;
  const std::vector<float> parameters{1, 2, 3, 4, 5, 6, 0.5f, -0.5f, 7, 8, 9, 10};
  LinearNetwork network(linear_architecture(spec), parameters);
  const std::vector<std::uint8_t> x{255, 0, 51};
  std::vector<float> logits(2), value(1);
  network.forward({std::as_bytes(std::span(x))}, {1, 2, logits, value});
  EXPECT_NEAR(logits[0], 1 + 3 * 0.2 + 0.5, 1e-6);
  EXPECT_NEAR(value[0], 7 + 9 * 0.2 + 10, 1e-5);
}

TEST(LinearNetwork, GradientIsThatOfFiniteDifferences) {
  const auto architecture = linear_architecture(vector_spec());
  std::vector<float> parameters(12);
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] = std::sin(1.0f + i);
  LinearNetwork network(architecture, parameters);
  const std::vector<float> x{1, 0.5f, -1, 2, 0.25f, 3};
  const auto bytes = std::as_bytes(std::span(x));
  // The loss is the sum of the squares of all outputs.
  std::vector<float> gradient(12);
  const auto squares = [](const Heads& heads, const Heads& d) {
    for (std::size_t i = 0; i < heads.logits.size(); ++i) d.logits[i] = 2 * heads.logits[i];
    for (std::size_t i = 0; i < heads.value.size(); ++i) d.value[i] = 2 * heads.value[i];
  };
  std::vector<float> logits(4), value(2);
  network.record({bytes}, {2, 2, logits, value});
  network.backward(squares, gradient);
  std::vector<float> in_two(12);
  const Heads one{1, 2, std::span(logits).first(2), std::span(value).first(1)};
  network.record({bytes.first(12)}, one);
  network.record({bytes.subspan(12)}, one);
  network.backward(squares, in_two);
  EXPECT_EQ(in_two, gradient);

  const auto loss = [&] {
    std::vector<float> logits(4), value(2);
    network.reload();
    network.forward({bytes}, {2, 2, logits, value});
    double sum = 0;
    for (const float v : logits) sum += v * v;
    for (const float v : value) sum += v * v;
    return sum;
  };
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const float kept = parameters[i];
    parameters[i] = kept + 1e-2f;
    const double above = loss();
    parameters[i] = kept - 1e-2f;
    const double below = loss();
    parameters[i] = kept;
    EXPECT_NEAR(gradient[i], (above - below) / 2e-2, 2e-3) << "parameter " << i;
  }
}

}  // namespace
}  // namespace tandem
