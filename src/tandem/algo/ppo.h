// Proximal policy optimisation: several passes over the same experience, close to the policy that
// collected it.
#pragma once

#include <cstdint>

#include "tandem/algo/algorithm.h"
#include "tandem/base/field.h"

namespace tandem {

/// The hyperparameters of the loss and of the passes, as config keys ppo.*. Value type.
struct PpoConfig {
  double gamma = 0.99;
  double lambda = 0.95;          // of generalised advantage estimation (data/gae.h)
  double clip = 0.1;             // epsilon of equation 7
  double clip_end = 0.0;         // clip after clip_steps steps
  std::int64_t clip_steps = 0;   // steps in which clip changes linearly to clip_end; 0: constant
  std::int64_t epochs = 4;       // passes over the same experience, K
  std::int64_t minibatches = 4;  // minibatches of each epoch
  double entropy = 0.01;         // c_2 of equation 9
  double value_loss = 0.25;      // c_1 of equation 9: factor of the squared error
  bool value_clip = true;        // whether a value, too, gains nothing from moving beyond +-clip
  bool normalise = true;         // scales advantages to mean 0 and standard deviation 1
  double reward_clip = 1.0;      // rewards are clipped to +-this; 0: not clipped
  double reward_scale = 1.0;     // rewards are multiplied by this, after clipping

  FieldList fields();
};

/// Schulman, Wolski, Dhariwal, Radford and Klimov 2017, "Proximal policy optimization algorithms",
/// equations 7 and 9 and Algorithm 1. The loss per sample is -min(r A, clip(r, 1 - clip, 1 + clip)
/// A) - entropy * H(pi) + value_loss * E. Here r is the ratio of the action's probability to the
/// one with which it was drawn, A comes from GAE, and E is the squared error of the value. With
/// value_clip, E is the larger of this error and the error of a value that moves from the old one
/// by at most +-clip. Value clipping, normalised advantages and the defaults are not the paper's:
/// they follow the implementation that HTS-RL compares with (Kostrikov 2018).
Algorithm make_ppo(const PpoConfig& config);

/// The same for continuous actions, which are drawn from the normal distribution of gaussian.h.
/// H(pi) is the entropy of all dimensions together, where A3C's is that of one. The distribution is
/// A3C's, with one variance that depends on the state, where PPO's section 6.1 and Kostrikov 2018
/// learn a constant variance for each dimension.
Algorithm make_gaussian_ppo(const PpoConfig& config);

}  // namespace tandem
