// Double Q-learning from replayed transitions, with a dueling network or a plain one.
#pragma once

#include <cstdint>
#include <span>

#include "tandem/algo/algorithm.h"
#include "tandem/base/field.h"

namespace tandem {

/// The numbers of Ape-X DQN's loss and exploration, as config keys dqn.*. Value type.
struct DqnConfig {
  double gamma = 0.99;
  double reward_clip = 1.0;             // rewards are clipped to +-this; 0: not clipped
  bool double_q = true;                 // else the target network chooses the next action, too
  std::int64_t target_updates = 2'500;  // between two copies of the target network
  double epsilon = 0.4;                 // of the first actor ...
  double epsilon_exponent = 7;          // ... and how fast it falls to the last one's
  std::int64_t epsilons = 0;            // so many different ones; 0: each actor has its own
  double epsilon_eval = 0.00164;

  FieldList fields();
};

/// epsilon^(1 + exponent i / (N - 1)) of actor i of N: Ape-X, section 4.1. With `epsilons` K the
/// actors share K values, spread in the same way (appendix B). Pure.
double actor_epsilon(const DqnConfig& config, std::int64_t actor, std::int64_t actors);

/// Q(s, a) of a batch, [batch, actions], from the heads: the outputs themselves where there is no
/// value head, else the value and how much each output is above their mean (Wang et al. 2016,
/// equation 9). Pure.
void action_values(const Heads& heads, std::span<float> q);

/// What the networks make of the states n steps on.
struct NextStates {
  Heads online;  // argmax_a q(S_{t+n}, a, theta); with double_q = false of no use
  Heads target;  // q(S_{t+n}, ., theta-)
};

/// The loss 1/2 (G_t - q(S_t, A_t, theta))^2 of section 3.1, weighted by importance and then by
/// `weight`: writes its gradient with respect to the heads and, as new priorities of the samples,
/// the absolute TD errors (appendix F). Pure.
LossStats dqn_loss(const DqnConfig& config, const Heads& heads, const NextStates& next,
                   const Samples& samples, double weight, const Heads& gradient);

/// Ape-X DQN, in `envs` environments that count as an actor each: acts epsilon-greedily and learns
/// by dqn_loss() from a replay.
Algorithm make_dqn(const DqnConfig& config, std::int64_t envs, bool dueling);

}  // namespace tandem
