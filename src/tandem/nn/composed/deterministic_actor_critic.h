// A deterministic policy and its critic, as DPG trains them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "tandem/nn/action_scale.h"
#include "tandem/nn/architecture.h"
#include "tandem/nn/composed/mlp.h"
#include "tandem/nn/input_statistics.h"

namespace tandem {

/// pi(s, phi) and q(s, a, psi) of Ape-X's section 3.2, over one flat buffer of parameters, phi and
/// then psi, which it reads and does not own. A tanh brings the policy's outputs to [-1, 1]; the
/// critic takes actions scaled in this way, after the observation. Where the architecture has
/// statistics of its inputs, both networks take observations normalised by them. All other actions
/// are in the environment's units, unless a name says "scaled". fp32 on the CPU. Not thread-safe;
/// uses the calling thread only. Spans of wrong sizes throw std::logic_error.
class DeterministicActorCritic {
 public:
  /// `architecture` must be deterministic(). `parameters` holds those of both networks and must
  /// outlive this object.
  DeterministicActorCritic(const Architecture& architecture, std::span<const float> parameters);

  [[nodiscard]] std::size_t action_dims() const { return scale_.dims(); }

  /// pi(s) of each sample: observations [samples, observation], actions [samples, dims].
  void act(std::span<const std::byte> observations, std::span<float> actions);

  /// q(s, a) of each sample: q [samples].
  void judge(std::span<const std::byte> observations, std::span<const float> actions,
             std::span<float> q);

  /// Like judge(), but keeps the activations for critic_backward().
  void record_judgement(std::span<const std::byte> observations, std::span<const float> actions,
                        std::span<float> q);

  /// Takes d_q [samples], the gradient of a scalar with respect to q. Writes the gradient with
  /// respect to psi to its place in `gradient` (one float for each parameter of both networks, and
  /// 0 for each statistic of the inputs).
  void critic_backward(std::span<const float> d_q, std::span<float> gradient);

  /// Computes the scaled action pi(s), its value q(s, pi(s)), and dq/da, the gradient with respect
  /// to the scaled action. Actions and dq/da are [samples, dims]. Keeps the activations for
  /// policy_backward(), and for critic_backward() in place of those of record_judgement().
  void differentiate_by_action(std::span<const std::byte> observations, std::span<float> scaled,
                               std::span<float> q, std::span<float> dq_da);

  /// Takes d_outputs [samples, dims], the gradient of a scalar with respect to the policy's outputs
  /// before the tanh. Writes the gradient with respect to phi to its place in `gradient`.
  void policy_backward(std::span<const float> d_outputs, std::span<float> gradient);

 private:
  std::span<const float> numbers(std::span<const std::byte> observations);
  std::span<const float> joined(std::span<const float> observations, std::span<const float> scaled);
  std::span<const float> critic_inputs(std::span<const std::byte> observations,
                                       std::span<const float> actions);

  ActionScale scale_;
  std::size_t policy_size_;  // the size of phi
  std::size_t critic_size_;  // the size of psi
  Mlp policy_, critic_;
  std::optional<InputNormaliser> normaliser_;  // empty: observations are taken as they are
  std::vector<float> observations_;            // [samples, observation]
  std::vector<float> scaled_;                  // [samples, dims]
  std::vector<float> joined_;                  // [samples, observation + dims]
  std::vector<float> ones_, d_joined_;
};

}  // namespace tandem
