// A deterministic policy and its critic, as DPG trains them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tandem/nn/action_scale.h"
#include "tandem/nn/architecture.h"
#include "tandem/nn/composed/mlp.h"

namespace tandem {

/// pi(s, phi) and q(s, a, psi) of Ape-X's section 3.2, over one flat buffer of parameters, phi and
/// then psi, that it does not own and reads where they are. The policy's outputs are squashed by
/// tanh to [-1, 1]; so scaled, behind the observation, the critic takes actions in. Everybody else
/// has them in the environment's units, but where "scaled" is said. fp32 on the CPU. Not
/// thread-safe; uses the calling thread only. Spans of sizes that do not fit throw
/// std::logic_error.
class DeterministicActorCritic {
 public:
  /// `architecture` must be deterministic(), and `parameters`, those of both, outlive this.
  DeterministicActorCritic(const Architecture& architecture, std::span<const float> parameters);

  [[nodiscard]] std::size_t action_dims() const { return scale_.dims(); }

  /// pi(s) of each sample: observations [samples, observation], actions [samples, dims].
  void act(std::span<const std::byte> observations, std::span<float> actions);

  /// q(s, a) of each sample: q [samples].
  void judge(std::span<const std::byte> observations, std::span<const float> actions,
             std::span<float> q);

  /// As judge(), and keeps what critic_backward() needs.
  void record_judgement(std::span<const std::byte> observations, std::span<const float> actions,
                        std::span<float> q);

  /// From the gradient d_q [samples] of a scalar with respect to q, that of psi, which goes to its
  /// place in `gradient` (one float per parameter of both).
  void critic_backward(std::span<const float> d_q, std::span<float> gradient);

  /// pi(s), scaled, with q(s, pi(s)) and dq/da there, by the scaled action: [samples, dims] both.
  /// Keeps what policy_backward() needs, and forgets what record_judgement() kept.
  void differentiate_by_action(std::span<const std::byte> observations, std::span<float> scaled,
                               std::span<float> q, std::span<float> dq_da);

  /// From the gradient d_outputs [samples, dims] of a scalar with respect to the policy's outputs
  /// in front of the tanh, that of phi, which goes to its place in `gradient`.
  void policy_backward(std::span<const float> d_outputs, std::span<float> gradient);

 private:
  std::span<const float> numbers(std::span<const std::byte> observations);
  std::span<const float> joined(std::span<const float> observations, std::span<const float> scaled);
  std::span<const float> critic_inputs(std::span<const std::byte> observations,
                                       std::span<const float> actions);

  ActionScale scale_;
  std::size_t policy_size_;  // of phi
  Mlp policy_, critic_;
  std::vector<float> observations_;  // [samples, observation]
  std::vector<float> scaled_;        // [samples, dims]
  std::vector<float> joined_;        // [samples, observation and dims]
  std::vector<float> ones_, d_joined_;
};

}  // namespace tandem
