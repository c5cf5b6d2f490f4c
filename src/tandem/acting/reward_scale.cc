#include "tandem/acting/reward_scale.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tandem/base/error.h"

namespace tandem {
namespace {

// Both are those of Stable-Baselines3's VecNormalize.
constexpr double kAddedReturnVariance = 1e-8;
constexpr double kLargestReward = 10;

}  // namespace

RewardScale::RewardScale(int rows, double gamma)
    : gamma_(gamma), rows_(static_cast<std::size_t>(rows)) {}

float RewardScale::scale(int row, float raw) {
  auto& own = of(row);
  own.discounted_return = gamma_ * own.discounted_return + raw;
  const double off = own.discounted_return - own.mean;
  const double count = own.count + 1;
  own.mean += off / count;
  own.variance = (own.variance * own.count + off * off * own.count / count) / count;
  own.count = count;
  const double scaled = raw / std::sqrt(own.variance + kAddedReturnVariance);
  return static_cast<float>(std::clamp(scaled, -kLargestReward, kLargestReward));
}

void RewardScale::load(StateReader& reader) {
  auto saved = reader.get_values<Row>();
  if (saved.size() != rows_.size()) throw Error("the checkpoint has other environments");
  rows_ = std::move(saved);
}

}  // namespace tandem
