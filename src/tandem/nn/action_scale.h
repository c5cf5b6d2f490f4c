// Converts actions between the units of an environment and those of networks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tandem {

/// Scales actions, each of whose dimensions lies between two bounds, to [-1, 1] and back.
/// Immutable; safe to use from many threads.
class ActionScale {
 public:
  ActionScale(const std::vector<float>& low, const std::vector<float>& high) {
    for (std::size_t j = 0; j < low.size(); ++j) {
      centre_.push_back((low[j] + high[j]) / 2);
      half_range_.push_back((high[j] - low[j]) / 2);
    }
  }

  [[nodiscard]] std::size_t dims() const { return centre_.size(); }

  /// Half the range of dimension `j`, in the environment's units.
  [[nodiscard]] float half_range(std::size_t j) const { return half_range_[j]; }

  /// Converts one sample's action from [-1, 1] to the environment's units, in place.
  void to_environment(std::span<float> action) const {
    for (std::size_t j = 0; j < dims(); ++j) action[j] = centre_[j] + half_range_[j] * action[j];
  }

  /// Converts one sample's action from the environment's units to [-1, 1], into `scaled`.
  void from_environment(std::span<const float> action, std::span<float> scaled) const {
    for (std::size_t j = 0; j < dims(); ++j) scaled[j] = (action[j] - centre_[j]) / half_range_[j];
  }

 private:
  std::vector<float> centre_;
  std::vector<float> half_range_;
};

}  // namespace tandem
