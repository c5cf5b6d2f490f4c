#include "tandem/nn/input_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <stdexcept>

namespace tandem {
namespace {

// Both are those of Stable-Baselines3's VecNormalize.
constexpr float kAddedVariance = 1e-8F;
constexpr float kMostDeviations = 10;

float deviation_of(float variance) { return std::sqrt(variance + kAddedVariance); }

}  // namespace

void InputStatistics::clear() const {
  for (const auto part : {mean, mean_rest, variance_rest, count}) std::ranges::fill(part, 0.0F);
  std::ranges::fill(variance, 1.0F);
}

std::array<StatisticsTensor, 5> input_statistics_tensors(std::int64_t numbers) {
  return {{{"input.mean", numbers},
           {"input.variance", numbers},
           {"input.mean_rest", numbers},
           {"input.variance_rest", numbers},
           {"input.count", 2}}};
}

InputStatistics input_statistics_in(std::span<float> part) {
  if (part.size() < 6 || part.size() % 4 != 2) {
    throw std::logic_error("these parameters are no statistics of inputs");
  }
  const std::size_t numbers = part.size() / 4;
  const auto take = [&part](std::size_t count) {
    const auto taken = part.first(count);
    part = part.subspan(count);
    return taken;
  };
  // Braces evaluate from left to right.
  return {take(numbers), take(numbers), take(numbers), take(numbers), take(2)};
}

InputNormaliser::InputNormaliser(const Architecture& architecture,
                                 std::span<const float> parameters) {
  const auto statistics =
      parameters.subspan(static_cast<std::size_t>(architecture.trained_count()));
  deviation_.resize(statistics.size() / 4);
  mean_ = statistics.first(deviation_.size());
  variance_ = statistics.subspan(deviation_.size(), deviation_.size());
}

void InputNormaliser::write(std::span<const std::byte> observations, std::span<float> out) {
  if (observations.size() != out.size_bytes() || out.size() % mean_.size() != 0) {
    throw std::logic_error("InputNormaliser: no whole observations");
  }
  std::memcpy(out.data(), observations.data(), observations.size());
  const std::size_t numbers = mean_.size();
  std::ranges::transform(variance_, deviation_.begin(), deviation_of);
  for (float* x = out.data(); x != out.data() + out.size(); x += numbers) {
    for (std::size_t i = 0; i < numbers; ++i) {
      x[i] = std::clamp((x[i] - mean_[i]) / deviation_[i], -kMostDeviations, kMostDeviations);
    }
  }
}

InputNormaliser::Scale InputNormaliser::scale() const {
  Scale scale{.mean = {mean_.begin(), mean_.end()}, .deviation = {}};
  std::ranges::transform(variance_, std::back_inserter(scale.deviation), deviation_of);
  return scale;
}

}  // namespace tandem
