// Deterministic policy gradients from replayed transitions: Ape-X DPG.
#pragma once

#include <cstdint>
#include <span>

#include "tandem/algo/algorithm.h"
#include "tandem/base/field.h"
#include "tandem/env/env.h"

namespace tandem {

/// The hyperparameters of Ape-X DPG's losses and exploration, as config keys dpg.*. Value type.
struct DpgConfig {
  double gamma = 0.99;
  double reward_clip = 0;             // rewards are clipped to +-this; 0: not clipped
  double sigma = 0.3;                 // standard deviation of the noise, for actions in [-1, 1]
  std::int64_t target_updates = 100;  // updates between two copies of the target networks
  double clip = 1;                    // limit of each element of dq/da; 0: not clipped

  FieldList fields();
};

/// The critic's loss 1/2 (G_t - q(S_t, A_t, psi))^2 of section 3.2, weighted by importance and then
/// by `weight`. `q` [B] belongs to the actions that were taken; `next_q` [B] is q(S_{t+n},
/// pi(S_{t+n}, phi-), psi-). Writes the gradient with respect to q, and the absolute TD errors as
/// the samples' new priorities (appendix D). Changes nothing but its arguments.
LossStats dpg_critic_loss(std::span<const float> q, std::span<const float> next_q,
                          const Samples& samples, double weight, std::span<float> d_q);

/// The policy's ascent on q(S_t, pi(S_t, phi), psi) (section 3.2): the gradient of -q times
/// `weight` with respect to its outputs before the tanh. `scaled` [B, dims] is pi(S_t), from -1 to
/// 1; `dq_da` [B, dims] is the derivative of q with respect to it. Importance weights are not used
/// here, as in Algorithm 1 of Barth-Maron et al. 2018, who continued that work. Changes nothing but
/// `gradient`.
///
/// "The gradient used to update the actor network is clipped to [-1, 1], element-wise" (appendix D)
/// is taken to mean dq/da of each sample. It can hardly mean the gradient with respect to the
/// parameters: that is a mean over a batch, few of its elements come near 1, and Adam normalises
/// their size anyway. DeepMind's library of that year clips dq/da "element-wise" (TRFL's dpg);
/// their later D4PG (Acme) clips its norm.
void dpg_policy_gradient(const DpgConfig& config, std::span<const float> scaled,
                         std::span<const float> dq_da, double weight, std::span<float> gradient);

/// Ape-X DPG in environments of this spec, whose actions must be continuous. The heads are a
/// deterministic policy's action and its value (make_dpg_network). epsilon() gives sigma, the
/// standard deviation of the noise on each dimension of an action that is scaled to [-1, 1];
/// evaluation uses the policy without noise (appendix D). It learns from a replay: psi descends the
/// gradient of dpg_critic_loss(), and phi the gradient that dpg_policy_gradient() computes. Both
/// gradients are taken at the parameters before the update.
/// ReplayGradient::differentiate() throws std::logic_error for samples of the wrong sizes.
Algorithm make_dpg(const DpgConfig& config, const EnvSpec& spec);

}  // namespace tandem
