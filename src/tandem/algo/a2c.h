// Advantage actor-critic over n-step returns.
#pragma once

#include <cstdint>
#include <string>

#include "tandem/algo/algorithm.h"
#include "tandem/base/field.h"

namespace tandem {

/// The hyperparameters of the loss, as config keys a2c.*. Value type.
struct A2cConfig {
  double gamma = 0.99;
  double entropy = 0.01;            // beta of PAAC's equation 10
  double entropy_end = 0.0;         // beta after entropy_steps steps
  std::int64_t entropy_steps = 0;   // steps in which it changes linearly; 0: beta is constant
  double value_loss = 0.5;          // factor of the squared error: 1 in equation 11
  double loss_scale = 1.0;          // factor of the whole loss: 1 in the equations
  double reward_clip = 1.0;         // rewards are clipped to +-this; 0: not clipped
  double reward_scale = 1.0;        // rewards are multiplied by this, after clipping
  double log_epsilon = 0.0;         // GA3C, equation 5: log(pi(a) + epsilon); discrete actions only
  bool bootstrap = true;            // whether returns bootstrap from the value of the last state
  std::string correction = "none";  // for experience of an older policy: none, values or vtrace
  double rho_limit = 1.0;           // the limit of V-trace's rho: see data/vtrace.h
  double c_limit = 1.0;             // the limit of V-trace's c

  FieldList fields();
};

/// PAAC, section 4, equations 10 and 11 (A3C's section 4 with t_max steps). The loss per sample is
/// loss_scale * (-(R - V) log pi(a) - entropy * H(pi) + value_loss * (R - V)^2), with R - V
/// constant in the first term. The entropy's factor may fall over the run: `entropy_end`. Actions
/// are sampled from softmax(logits). With the correction "values", the learning parameters
/// recompute the last states' values in R. With "vtrace", R is v_s in the last term and r_s + gamma
/// v_{s+1} in the first term, which is weighted by rho_s: see data/vtrace.h.
Algorithm make_a2c(const A2cConfig& config);

/// The same for continuous actions, which are drawn from the normal distribution of gaussian.h
/// (A3C, section 5.2.3).
Algorithm make_gaussian_a2c(const A2cConfig& config);

}  // namespace tandem
