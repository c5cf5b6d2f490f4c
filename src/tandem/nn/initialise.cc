// The initial values of parameters.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tandem/base/random.h"
#include "tandem/nn/architecture.h"
#include "tandem/nn/input_statistics.h"

namespace tandem {
namespace {

std::int64_t blocks_in(const Architecture& architecture) {
  std::int64_t blocks = 0;
  for (const auto& layer : architecture.torso) blocks += layer.blocks;
  return blocks;
}

// The bound of the uniform distribution. For a variance of v / fan_in it is sqrt(3 v / fan_in).
float start_bound(const Architecture& architecture, const ParameterInfo& info) {
  const bool lstm = info.name.find("lstm.") != std::string::npos;
  const bool head = info.name.starts_with("policy.") || info.name.starts_with("value.");
  const auto inputs = std::sqrt(static_cast<float>(info.fan_in));
  if (architecture.init == "ddpg" && head) return 3e-3F;
  if (architecture.init != "he") {
    return 1.0f / (lstm ? std::sqrt(static_cast<float>(architecture.lstm)) : inputs);
  }
  if (info.name.ends_with("bias")) return 0.0f;
  if (info.name == "policy.weight") return 0.01f * std::sqrt(3.0f) / inputs;
  // The convolutions of sections.
  if (info.name.ends_with(".conv.weight")) return std::sqrt(3.0f) / inputs;
  if (info.name.ends_with(".conv2.weight") && info.name.find(".block") != std::string::npos) {
    return std::sqrt(6.0f / static_cast<float>(blocks_in(architecture))) / inputs;
  }
  if (lstm || info.name == "value.weight") return std::sqrt(3.0f) / inputs;
  return std::sqrt(6.0f) / inputs;
}

}  // namespace

void initialise(const Architecture& architecture, Stream& stream, std::span<float> parameters) {
  if (architecture.normalises_inputs) {
    initialise(architecture.without_statistics(), stream, parameters);
    const auto trained = static_cast<std::size_t>(architecture.trained_count());
    return input_statistics_in(parameters.subspan(trained)).clear();
  }
  for (const auto& info : architecture.parameters()) {
    const float bound = start_bound(architecture, info);
    const auto tensor = parameters.subspan(info.offset, info.count);
    for (auto& value : tensor) value = bound * (2.0f * stream.uniform() - 1.0f);
    if (architecture.init == "he" && info.name.ends_with("lstm.bias")) {
      std::ranges::fill(tensor.subspan(architecture.lstm, architecture.lstm),
                        1.0f);  // forget gates
    }
  }
}

}  // namespace tandem
