#include "tandem/replay/sample_batch.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tandem {

SampleBatch::SampleBatch(const FrameFormat& format, std::size_t batch)
    : size(batch),
      drawn(batch),
      keys(batch),
      observations(batch * format.observation_bytes()),
      next_observations(batch * format.observation_bytes()),
      actions(batch),
      controls(batch * format.action_dims),
      n_step_returns(batch),
      discounts(batch),
      weights(batch),
      priorities(batch),
      ages(batch),
      observation_bytes_(format.observation_bytes()),
      action_dims_(format.action_dims),
      codec_(format) {}

void SampleBatch::read(std::size_t first, std::size_t last, std::int64_t added) {
  for (std::size_t i = first; i < last; ++i) {
    auto& found = drawn[i];
    const Transition& transition = found.of();
    found.segment->read(transition, &observations[i * observation_bytes_],
                        &next_observations[i * observation_bytes_], codec_);
    std::ranges::copy(found.segment->controls(found.transition),
                      controls.begin() + static_cast<std::ptrdiff_t>(i * action_dims_));
    keys[i] = found.key;
    actions[i] = transition.action;
    n_step_returns[i] = transition.n_step_return;
    discounts[i] = transition.discount;
    priorities[i] = found.priority;
    ages[i] = added - 1 - TransitionIndex::serial(found.key);
    found.segment.reset();
  }
}

void SampleBatch::weigh(double beta) {
  double least = 1;
  for (std::size_t i = 0; i < size; ++i) least = std::min(least, drawn[i].probability);
  // N cancels out.
  for (std::size_t i = 0; i < size; ++i) {
    weights[i] = static_cast<float>(std::pow(least / drawn[i].probability, beta));
  }
}

Samples SampleBatch::part(std::size_t first, std::size_t last) {
  const auto of = [&](auto& all, std::size_t width) {
    return std::span(all).subspan(first * width, (last - first) * width);
  };
  return {of(observations, observation_bytes_),
          of(next_observations, observation_bytes_),
          of(actions, 1),
          of(controls, action_dims_),
          of(n_step_returns, 1),
          of(discounts, 1),
          of(weights, 1),
          of(priorities, 1)};
}

}  // namespace tandem
