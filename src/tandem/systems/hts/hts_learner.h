// HTS-RL's learners.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tandem/data/rollout_inputs.h"
#include "tandem/learn/published_parameters.h"
#include "tandem/nn/batch.h"
#include "tandem/run/interval.h"
#include "tandem/sync/workers.h"
#include "tandem/systems/common/minibatches.h"
#include "tandem/systems/common/training_context.h"
#include "tandem/systems/hts/hts_config.h"
#include "tandem/systems/hts/hts_shape.h"
#include "tandem/systems/hts/hts_storage.h"

namespace tandem {

/// Equation 6: theta_{j+1} = theta_j - eta * g, where g is the gradient, taken at theta_{j-1}, of
/// the loss over the experience of theta_{j-1}. The context's learner holds theta_j. Several
/// updates between two synchronisations all take their gradients at theta_{j-1}, the behaviour
/// policy of their experience, and move theta_j one after another. An algorithm with several passes
/// makes its moves from theta_{j-1} on, each with the gradient at the parameters so far, and the
/// sum of its moves is added to theta_j; with a single move this is equation 6. The authors' code
/// makes them from theta_j on (HtsConfig::passes_from_newest). Not thread-safe. Its own threads
/// share the groups of environments, and their number changes no bit of the result.
class HtsLearner {
 public:
  /// The context must outlive it.
  HtsLearner(const HtsConfig& config, const HtsShape& shape, TrainingContext& context);

  /// Learns from the experience of theta_{j-1} and stages theta_{j+1}. The reports are those of the
  /// updates; the last one has the learners' own seconds.
  std::vector<UpdateReport> update(HtsStorage& data, std::int64_t steps,
                                   PublishedParameters& acting);

  /// Memory for the actors' activations; null if actors keep none.
  [[nodiscard]] std::unique_ptr<Activations> make_activations() const;

  /// Computes the actors' activations again for data that a resumed run read from its checkpoint.
  void record_again(HtsStorage& data);

  /// Saves theta_{j-1}; theta_j is saved with the context's learner.
  void save(Checkpoint& checkpoint) const;

 private:
  /// The parts that compute one group's gradient.
  struct Gradient {
    std::unique_ptr<Network> network;
    RolloutInputs inputs;
    HeadsBuffer heads;
    LossStats stats;
  };

  UpdateReport learn_once(HtsStorage& data, int update, std::int64_t steps);
  UpdateReport learn_in_passes(std::span<Rollout> rollouts, std::int64_t steps);
  void differentiate(const RolloutLoss& loss, Gradient& own, HtsStorage& data, int update,
                     int group);

  TrainingContext& context_;
  const HtsShape shape_;
  const RolloutLoss& rollout_loss_;
  const bool records_;           // whether actors may keep activations
  const double weight_;          // of a sample in the mean over all samples of an update
  const bool from_newest_;       // whether passes begin at theta_j
  std::vector<float> previous_;  // theta_{j-1}
  std::vector<float> before_;    // theta before the minibatch
  std::vector<float> acted_;     // theta_j
  Pieces observations_;          // of all experience since the synchronisation
  Workers workers_;
  std::optional<Minibatches> minibatches_;     // for algorithms with several passes; all others use
                                               // the next two
  std::vector<Gradient> own_;                  // by group
  std::vector<std::vector<float>> gradients_;  // by group
};

}  // namespace tandem
