// Several passes over one update's experience, in minibatches.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tandem/learn/learner.h"
#include "tandem/nn/batch.h"
#include "tandem/sync/workers.h"
#include "tandem/systems/common/training_context.h"

namespace tandem {

/// PPO's Algorithm 1, lines 6 and 7 (Schulman et al. 2017), for the systems that learn from whole
/// rollouts of all environments at once. Threads divide the gradient of a minibatch
/// into shares; the number of shares and the order of samples follow from the config and the seed
/// alone, never from the threads. Not thread-safe.
class Minibatches {
 public:
  /// Of updates of `samples` samples by an algorithm with passes. Gradients are taken at
  /// `parameters`, which with the context must outlive this. Throws Error when there are more
  /// minibatches than samples.
  Minibatches(const TrainingContext& context, std::span<const float> parameters,
              std::int64_t samples, int shares_each);

  /// Moves the parameters by the sum of these gradients.
  using Move = std::function<UpdateInfo(std::span<const std::vector<float>> gradients)>;

  /// What an update was: sums over all passes, and the means of what its moves did.
  struct Summary {
    LossStats loss;
    UpdateInfo mean;
  };

  /// All passes over the rollouts, `move` after each minibatch.
  Summary learn(std::span<Rollout* const> rollouts, Workers& workers, const Move& move);

  /// Between two updates.
  void save(Checkpoint& checkpoint) const;

 private:
  /// A part of a minibatch, for one network.
  struct Share {
    Rollout samples;  // one step
    HeadsBuffer heads = {};
    LossStats loss = {};
  };

  void shuffle();
  void differentiate(Share& share, Network& network, std::span<const std::int64_t> chosen,
                     std::span<Rollout* const> rollouts, double weight, std::span<float> gradient);

  const RolloutLoss& loss_;
  const Passes passes_;
  Stream stream_;                                   // of the order of samples
  std::vector<std::int64_t> order_;                 // of all samples of an update
  std::vector<std::vector<Share>> minibatches_;     // sizes of two may differ by one
  std::vector<std::unique_ptr<Network>> networks_;  // by share
  std::vector<std::vector<float>> gradients_;       // by share
};

}  // namespace tandem
