// Value-based methods: one-step Q-learning, one-step Sarsa, n-step Q-learning.
#pragma once

#include <cstdint>

#include "tandem/algo/algorithm.h"
#include "tandem/algo/exploration.h"
#include "tandem/base/field.h"

namespace tandem {

/// The methods of A3C's sections 4.1 to 4.3.
enum class QMethod { one_step_q, one_step_sarsa, n_step_q };

/// The hyperparameters of the loss and of exploration, as config keys q.*. Value type.
struct QConfig {
  double gamma = 0.99;
  double loss_scale = 1.0;              // factor of the whole loss: 1 in the equations
  double reward_clip = 1.0;             // rewards are clipped to +-this; 0: not clipped
  double reward_scale = 1.0;            // rewards are multiplied by this, after clipping
  std::int64_t target_frames = 40'000;  // frames between two refreshes of the target network
  ExplorationConfig exploration = {};

  FieldList fields();
};

/// The loss per sample is loss_scale * (y - Q(s, a; theta))^2, with y constant:
///   one-step Q      y = r + gamma max_a' Q(s', a'; theta-)          (section 4.1, Algorithm 1)
///   one-step Sarsa  y = r + gamma Q(s', a'; theta-), a' taken next  (section 4.2, equation 6)
///   n-step Q        y = r + gamma r' + ... + gamma^n max_a Q(s_T, a; theta-)
///                                                                   (section 4.3, Algorithm 2)
/// The policy head's outputs are Q(s, a); a value head gets no gradient. Actions are
/// epsilon-greedy.
Algorithm make_q_learning(QMethod method, const QConfig& config, std::uint64_t seed,
                          std::int64_t frames_per_step);

}  // namespace tandem
