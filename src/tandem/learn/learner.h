// The learner: parameters, optimizer, gradient clipping and learning rate schedule.
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
  double learning_rate = 0;  // of this update
};

/// Owns the parameters and updates them: trained ones by gradients, and statistics of the inputs by
/// observe(). Neither clipping nor the optimizer sees the gradient of a statistic. Not thread-safe:
/// no other thread may read the parameters during apply().
class Learner {
 public:
  /// initialise() draws the first parameters from Stream(seed, streams::kInitialisation.id()).
  Learner(Architecture architecture, const OptimizerConfig& config, std::uint64_t seed);

  /// The architecture of the network that uses the parameters.
  [[nodiscard]] const Architecture& architecture() const { return architecture_; }
  /// The optimizer's settings.
  [[nodiscard]] const OptimizerConfig& config() const { return config_; }
  /// theta, in one flat buffer, in the order of Architecture::parameters().
  [[nodiscard]] std::span<const float> parameters() const { return parameters_; }
  /// The same, writable, to load a checkpoint.
  [[nodiscard]] std::span<float> parameters() { return parameters_; }
  /// The optimizer's state, for checkpoints.
  [[nodiscard]] std::vector<Optimizer::Slot> optimizer_slots() { return optimizer_->slots(); }

  /// Makes one update (PAAC's Algorithm 1, line 18) with the sum of `gradients`. All workers share
  /// the work, but gradients are added in their order, so the result is the same to the bit for any
  /// number of threads. `steps` is the number of steps so far.
  UpdateInfo apply(std::span<const std::vector<float>> gradients, std::int64_t steps,
                   Workers& workers);

  /// Adds the observations of the last update's batch to the statistics of the network's inputs
  /// (see add_observations()); does nothing if the architecture has none.
  void observe(std::span<const std::span<const std::byte>> pieces);

 private:
  // The number of parameters in one part of an update. A part fits in the cache, where it stays
  // until it is read a second time. The parts do not depend on the number of workers, and so
  // neither does the order of any sum.
  static constexpr std::size_t kPart = 16384;

  Architecture architecture_;
  OptimizerConfig config_;
  std::vector<float> parameters_;
  std::size_t trained_;          // how many of them gradients train; these come first
  std::vector<float> sum_;       // the sum of several gradients
  std::vector<double> squares_;  // the sum of squares of each part
  std::unique_ptr<Optimizer> optimizer_;
};

}  // namespace tandem
