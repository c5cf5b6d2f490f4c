// What DPG learns from a batch of replayed transitions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tandem/algo/dpg.h"
#include "tandem/algo/loss_stats.h"
#include "tandem/nn/architecture.h"
#include "tandem/nn/composed/deterministic_actor_critic.h"

namespace tandem {

/// B replayed transitions; views of the caller's memory.
struct DpgSamples {
  std::span<const std::byte> observations;       // [B, observation]: S_t, f32
  std::span<const std::byte> next_observations;  // [B, observation]: S_{t+n}
  std::span<const float> actions;                // [B, dims]: A_t, in the environment's units
  ReplayedReturns returns;                       // [B] each
};

/// Gradients of both networks of Ape-X's section 3.2, each by its own loss, over parameters, and
/// those of the target networks, that it does not own and reads where they are. Keeps buffers. Not
/// thread-safe; threads that share a batch use one each.
class DpgGradient {
 public:
  /// `theta` and `target`: parameters of this deterministic architecture, which must outlive it.
  DpgGradient(const DpgConfig& config, const Architecture& architecture,
              std::span<const float> theta, std::span<const float> target);

  /// Overwrites `gradient` (one float per parameter) with what is to be descended: for psi the
  /// gradient of dpg_critic_loss(), for phi that of -q by dpg_policy_gradient(), both from the
  /// parameters as they are; `weight` is that of each sample. Writes new priorities [B]. Throws
  /// std::logic_error for spans of sizes that do not fit.
  LossStats differentiate(const DpgSamples& samples, double weight, std::span<float> gradient,
                          std::span<float> priorities);

 private:
  const DpgConfig config_;
  DeterministicActorCritic online_, target_;
  std::vector<float> q_, next_q_, d_q_;             // [B]
  std::vector<float> actions_, dq_da_, d_outputs_;  // [B, dims]
};

}  // namespace tandem
