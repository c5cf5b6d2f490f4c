// The learner: parameters, optimizer, clipping, schedule.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tandem/learn/optimizer.h"
#include "tandem/nn/architecture.h"
#include "tandem/sync/workers.h"

namespace tandem {

/// The result of an update.
struct UpdateInfo {
  double gradient_norm = 0;  // before clipping
  double learning_rate = 0;  // that it moved the parameters with
};

/// Owns the parameters and moves them. Not thread-safe: nobody may read the parameters during
/// apply().
class Learner {
 public:
  /// Parameters start as initialise() draws them from Stream(seed, kInitialisation).
  Learner(Architecture architecture, const OptimizerConfig& config, std::uint64_t seed);

  /// The network whose parameters these are.
  [[nodiscard]] const Architecture& architecture() const { return architecture_; }
  /// The optimizer's numbers.
  [[nodiscard]] const OptimizerConfig& config() const { return config_; }
  /// theta, in one flat buffer as Architecture::parameters() orders it.
  [[nodiscard]] std::span<const float> parameters() const { return parameters_; }
  /// The same, to load a checkpoint into.
  [[nodiscard]] std::span<float> parameters() { return parameters_; }
  /// The optimizer's state, to save and restore.
  [[nodiscard]] std::vector<Optimizer::Slot> optimizer_slots() { return optimizer_->slots(); }

  /// Makes one update (PAAC's Algorithm 1, line 18) with the sum of `gradients`, which are added in
  /// their order so that the bits do not depend on threads. `steps` counts the steps so far. All
  /// workers share the work.
  UpdateInfo apply(std::span<const std::vector<float>> gradients, std::int64_t steps,
                   Workers& workers);

 private:
  // Environments' streams have the ids from 0 on.
  static constexpr std::uint64_t kInitialisation = ~std::uint64_t{0};

  // Parameters in a part of the update. A part stays in the cache until it is read a second time,
  // and the order of all sums does not depend on the number of workers.
  static constexpr std::size_t kPart = 16384;

  Architecture architecture_;
  OptimizerConfig config_;
  std::vector<float> parameters_;
  std::vector<float> sum_;       // of several gradients
  std::vector<double> squares_;  // the sum of squares of each part
  std::unique_ptr<Optimizer> optimizer_;
};

}  // namespace tandem
