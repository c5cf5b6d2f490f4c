// The loss of an update that learns from several rollouts in one pass.
#pragma once

#include <cstdint>
#include <ranges>

#include "tandem/algo/rollout_loss.h"
#include "tandem/nn/batch.h"

namespace tandem {

/// The sum of the losses over `rollouts`, a range of const Rollout&. The heads hold the samples of
/// all of them, rollout by rollout. As RolloutLoss::loss(), it multiplies each sample's loss by
/// `weight`, and writes the gradient with respect to the heads.
template <std::ranges::input_range Rollouts>
LossStats sum_of_losses(const RolloutLoss& loss, Rollouts&& rollouts, double weight,
                        const Heads& heads, const Heads& gradient) {
  LossStats all;
  std::int64_t first = 0;
  for (const Rollout& rollout : rollouts) {
    const std::int64_t count = rollout.samples();
    all +=
        loss.loss(rows_of(heads, first, count), rollout, weight, rows_of(gradient, first, count));
    first += count;
  }
  return all;
}

}  // namespace tandem
