// Double Q-learning from replayed transitions, with a dueling network or a plain one.
#pragma once

#include <cstdint>
#include <span>

#include "tandem/algo/algorithm.h"
#include "tandem/base/field.h"

namespace tandem {

/// The hyperparameters of Ape-X DQN's loss and exploration, as config keys dqn.*. Value type.
struct DqnConfig {
  double gamma = 0.99;
  double reward_clip = 1.0;             // rewards are clipped to +-this; 0: not clipped
  bool double_q = true;                 // false: the target network also chooses the next action
  std::int64_t target_updates = 2'500;  // updates between two copies of the target network
  double epsilon = 0.4;                 // the first actor's epsilon
  double epsilon_exponent = 7;          // alpha: the last actor's epsilon is epsilon^(1 + alpha)
  std::int64_t epsilons = 0;            // number of different epsilons; 0: one for each actor
  double epsilon_eval = 0.00164;

  FieldList fields();
};

/// epsilon^(1 + exponent i / (N - 1)) for actor i of N: Ape-X, section 4.1. With `epsilons` = K > 0
/// the actors share K values, spread in the same way (appendix B).
double actor_epsilon(const DqnConfig& config, std::int64_t actor, std::int64_t actors);

/// Q(s, a) of a batch, [batch, actions], from the heads. Without a value head these are the outputs
/// themselves; with one, they are the value plus the difference between each output and the
/// outputs' mean (Wang et al. 2016, equation 9). Changes nothing but `q`.
void action_values(const Heads& heads, std::span<float> q);

/// The networks' heads for the states n steps later.
struct NextStates {
  Heads online;  // argmax_a q(S_{t+n}, a, theta); unused with double_q = false
  Heads target;  // q(S_{t+n}, ., theta-)
};

/// The loss 1/2 (G_t - q(S_t, A_t, theta))^2 of Ape-X's section 3.1, weighted by importance and
/// then by `weight`. Writes its gradient with respect to the heads, and the absolute TD errors as
/// the samples' new priorities (appendix F). Changes nothing but its arguments.
LossStats dqn_loss(const DqnConfig& config, const Heads& heads, const NextStates& next,
                   const Samples& samples, double weight, const Heads& gradient);

/// Ape-X DQN in `envs` environments, each of which counts as an actor: acts epsilon-greedily and
/// learns from a replay with dqn_loss().
Algorithm make_dqn(const DqnConfig& config, std::int64_t envs, bool dueling);

}  // namespace tandem
