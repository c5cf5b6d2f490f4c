// Deterministic policy gradients from replayed transitions: Ape-X DPG.
#pragma once

#include <cstdint>
#include <span>

#include "tandem/algo/algorithm.h"
#include "tandem/base/field.h"
#include "tandem/env/env.h"

namespace tandem {

/// The numbers of Ape-X DPG's losses and exploration, as config keys dpg.*. Value type.
struct DpgConfig {
  double gamma = 0.99;
  double reward_clip = 0;             // rewards are clipped to +-this; 0: not clipped
  double sigma = 0.3;                 // deviation of the noise, for actions from -1 to 1
  std::int64_t target_updates = 100;  // updates between two copies of the target networks
  double clip = 1;                    // limit of dq/da, element by element; 0: not clipped

  FieldList fields();
};

/// The critic's loss 1/2 (G_t - q(S_t, A_t, psi))^2 of section 3.2, weighted by importance and then
/// by `weight`. `q` [B] belongs to the actions that were taken; `next_q` [B] is q(S_{t+n},
/// pi(S_{t+n}, phi-), psi-). Writes the gradient with respect to q, and the absolute TD errors as
/// the samples' new priorities (appendix D). Pure.
LossStats dpg_critic_loss(std::span<const float> q, std::span<const float> next_q,
                          const Samples& samples, double weight, std::span<float> d_q);

/// The policy's ascent on q(S_t, pi(S_t, phi), psi) (section 3.2): the gradient of -q times
/// `weight` with respect to its outputs before the tanh. `scaled` [B, dims] is pi(S_t), from -1 to
/// 1; `dq_da` [B, dims] is the derivative of q by it. Importance weights have no part here, as in
/// Algorithm 1 of Barth-Maron et al. 2018, who continued that work. Pure.
///
/// "The gradient used to update the actor network is clipped to [-1, 1], element-wise" (appendix D)
/// is taken to mean dq/da of each sample. The gradient with respect to the parameters is a mean
/// over a batch: hardly any element comes near 1, and Adam divides by its size. DeepMind's library
/// of that year clips dq/da "element-wise" (TRFL's dpg); their later D4PG (Acme) clips it by its
/// norm.
void dpg_policy_gradient(const DpgConfig& config, std::span<const float> scaled,
                         std::span<const float> dq_da, double weight, std::span<float> gradient);

/// Ape-X DPG in environments of this spec, whose actions must be continuous. The heads are a
/// deterministic policy's action and its value (make_dpg_network). epsilon() gives sigma, the
/// deviation of the noise on each dimension; evaluation uses the policy without noise (appendix D).
/// It learns from a replay: psi follows the gradient of dpg_critic_loss(), phi that of
/// dpg_policy_gradient(), both taken at the present parameters. Its gradient throws
/// std::logic_error for samples of sizes that do not fit.
Algorithm make_dpg(const DpgConfig& config, const EnvSpec& spec);

}  // namespace tandem
