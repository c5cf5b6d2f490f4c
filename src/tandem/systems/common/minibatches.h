// Makes several passes over one update's experience, in minibatches.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tandem/data/rollout_inputs.h"
#include "tandem/learn/learner.h"
#include "tandem/nn/batch.h"
#include "tandem/sync/workers.h"
#include "tandem/systems/common/training_context.h"

namespace tandem {

/// PPO's Algorithm 1, lines 6 and 7 (Schulman et al. 2017), for systems that learn from whole
/// rollouts of all environments at once. Threads compute the gradient of a minibatch in shares. The
/// number of shares and the order of samples follow from the config and the seed alone, never from
/// the threads. A recurrent network must see steps in their order, so its minibatches consist of
/// whole sequences, each the steps of one environment. Not thread-safe.
class Minibatches {
 public:
  /// For updates from `sequences` sequences of `steps` steps by an algorithm with several passes. A
  /// minibatch has at most `shares_each` shares. Gradients are taken at `parameters`, which must
  /// outlive this, as must the context. Throws Error when there are more minibatches than samples,
  /// or, for a recurrent network, than sequences.
  Minibatches(const TrainingContext& context, std::span<const float> parameters, std::int64_t steps,
              std::int64_t sequences, int shares_each);

  /// Updates the parameters with the sum of these gradients.
  using Move = std::function<UpdateInfo(std::span<const std::vector<float>> gradients)>;

  /// Describes an update.
  struct Summary {
    LossStats loss;   // sums over all passes
    UpdateInfo mean;  // the moves' mean gradient norm, and the last one's learning rate
  };

  /// Makes all passes over the rollouts, with the loss scheduled for `steps` steps of all
  /// environments, and calls `move` after each minibatch.
  Summary learn(std::span<Rollout* const> rollouts, std::int64_t steps, Workers& workers,
                const Move& move);

  /// Call it between two updates.
  void save(Checkpoint& checkpoint) const;

 private:
  /// A part of a minibatch, for one network.
  struct Share {
    Rollout samples;  // sequences, or a rollout of one step of many environments
    RolloutInputs inputs = {};
    HeadsBuffer heads = {};
    LossStats loss = {};
  };

  void shuffle();
  void fill(Rollout& samples, std::span<const std::int64_t> chosen,
            std::span<Rollout* const> rollouts) const;
  void differentiate(const RolloutLoss& loss, Share& share, Network& network,
                     std::span<const std::int64_t> chosen, std::span<Rollout* const> rollouts,
                     double weight, std::span<float> gradient) const;

  const RolloutLoss& loss_;
  const Passes passes_;
  const std::int64_t unit_steps_;    // steps that stay together: a sequence, or a single sample
  Stream stream_;                    // draws the order of units
  std::vector<std::int64_t> order_;  // the indices of the units of an update, shuffled
  std::vector<std::vector<Share>> minibatches_;     // their sizes differ by one at most
  std::vector<std::unique_ptr<Network>> networks_;  // by share
  std::vector<std::vector<float>> gradients_;       // by share
};

}  // namespace tandem
