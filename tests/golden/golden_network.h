// Compares a network, computed by any library, with PyTorch's modules and autograd.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tandem/learn/optimizer.h"
#include "tandem/nn/composed/normalised_network.h"
#include "tandem/nn/composed/part_factory.h"
#include "tandem/nn/input_statistics.h"
#include "tandem/nn/network.h"
#include "tests/golden/golden.h"

namespace tandem {

inline Architecture golden_architecture(const nlohmann::json& golden) {
  NetConfig config;
  config.arch = golden["arch"];
  config.layers = golden.value("layers", "");
  config.hidden = golden["hidden"];
  config.lstm = golden.value("lstm", 0);
  config.separate = golden.value("separate", false);
  config.dueling = golden.value("dueling", false);
  config.dueling_gradient_scale = golden.value("dueling_gradient_scale", 1.0);
  config.pixel_mean = golden.value("pixel_mean", 0.0);
  EnvSpec spec;
  spec.dtype = golden["dtype"] == "u8" ? DType::u8 : DType::f32;
  spec.frame_shape = golden["shape"].get<std::vector<std::int64_t>>();
  spec.num_actions = golden["actions"];
  return make_architecture(config, spec, golden["value_head"], golden.value("normalised", false));
}

/// Computes the same as `fill` and `Statistics` in golden_networks.py.
inline std::vector<float> golden_parameters(const Architecture& architecture,
                                            std::uint32_t salt = 1) {
  auto parameters = golden_numbers(architecture.trained_count(), salt);
  parameters.resize(static_cast<std::size_t>(architecture.parameter_count()));
  if (architecture.normalises_inputs) {
    const auto statistics =
        input_statistics_in(std::span(parameters).subspan(architecture.trained_count()));
    const auto numbers = static_cast<std::int64_t>(statistics.mean.size());
    std::ranges::copy(golden_numbers(numbers, 10 + salt), statistics.mean.begin());
    std::ranges::transform(golden_numbers(numbers, 20 + salt), statistics.variance.begin(),
                           [](float number) { return std::abs(number) / 64; });
  }
  for (const auto& info : architecture.without_statistics().parameters()) {
    const auto bound = static_cast<float>(1 / std::sqrt(static_cast<double>(info.fan_in)));
    for (auto& value : std::span(parameters).subspan(info.offset, info.count)) value *= bound;
  }
  return parameters;
}

inline std::vector<std::byte> golden_observations(const Architecture& architecture,
                                                  std::int64_t batch) {
  std::int64_t count = batch;
  for (const auto size : architecture.input_shape) count *= size;
  const auto copy = [](const auto& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  return architecture.input_dtype == DType::u8 ? copy(golden_pixels(count, 2))
                                               : copy(golden_numbers(count, 2));
}

/// Compares a gradient with the norm and the elements in the golden file. `tolerance`: of each
/// element, as a part of the typical size of all; 0: that of expect_near().
inline void expect_gradient(std::span<const float> actual, const nlohmann::json& golden,
                            const std::string& what, double tolerance = 0) {
  const double norm = golden["norm"];
  const double typical = norm / std::sqrt(static_cast<double>(actual.size()));
  if (tolerance > 0) {
    EXPECT_NEAR(std::sqrt(sum_of_squares(actual)), norm, tolerance * norm) << what << ", norm";
    for (std::size_t i = 0; i < golden["at"].size(); ++i) {
      EXPECT_NEAR(actual[golden["at"][i]], golden["values"][i], tolerance * typical) << what;
    }
    return;
  }
  expect_near(std::sqrt(sum_of_squares(actual)), norm, norm, what + ", norm");
  for (std::size_t i = 0; i < golden["at"].size(); ++i) {
    const std::size_t at = golden["at"][i];
    expect_near(actual[at], golden["values"][i], typical, what + ", element " + std::to_string(at));
  }
}

/// Compares the heads and gradients of the network that `make` returns with the golden ones, behind
/// statistics of its inputs if the case has them.
inline void expect_golden(const nlohmann::json& golden, const PartFactory& make) {
  SCOPED_TRACE(golden["name"].get<std::string>());
  const auto architecture = golden_architecture(golden);
  ASSERT_EQ(architecture.parameter_count(), golden["parameters"]);
  const auto parameters = golden_parameters(architecture);
  const std::int64_t batch = golden["batch"];
  const auto observations = golden_observations(architecture, batch);
  const auto network = architecture.normalises_inputs
                           ? make_normalised_network(architecture, parameters, make)
                           : make(architecture, parameters);

  const std::vector<double> logits_expected = golden["logits"];
  const std::vector<double> value_expected = golden["value"];
  std::vector<float> logits(logits_expected.size());
  std::vector<float> value(value_expected.size());
  network->forward({observations}, {batch, architecture.policy_outputs, logits, value});
  expect_near(logits, logits_expected, "logits");
  expect_near(value, value_expected, "value");

  std::vector<float> gradient(parameters.size(), std::nanf(""));
  const auto loss = [&](const Heads& heads, const Heads& d) {
    expect_near(heads.logits, logits_expected, "logits of the gradient's forward pass");
    expect_near(heads.value, value_expected, "value of the gradient's forward pass");
    std::ranges::copy(golden_numbers(d.logits.size(), 3), d.logits.begin());
    std::ranges::copy(golden_numbers(d.value.size(), 4), d.value.begin());
  };
  network->record({observations}, {batch, architecture.policy_outputs, logits, value});
  network->backward(loss, gradient);
  const auto infos = architecture.parameters();
  ASSERT_EQ(infos.size(), golden["gradients"].size());
  for (std::size_t i = 0; i < infos.size(); ++i) {
    expect_gradient(std::span(gradient).subspan(infos[i].offset, infos[i].count),
                    golden["gradients"][i], infos[i].name, golden.value("gradient_tolerance", 0.0));
  }
}

}  // namespace tandem
