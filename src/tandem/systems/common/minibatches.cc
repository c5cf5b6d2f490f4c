#include "tandem/systems/common/minibatches.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/base/streams.h"

namespace tandem {
namespace {

constexpr auto kOrder = "minibatches";  // a blob of the checkpoint

/// The first number of part `index` when the numbers below `all` are divided into `count` nearly
/// equal parts.
std::int64_t begin_of(std::int64_t all, std::int64_t index, std::int64_t count) {
  return all * index / count;
}

}  // namespace

Minibatches::Minibatches(const TrainingContext& context, std::span<const float> parameters,
                         std::int64_t steps, std::int64_t sequences, int shares_each)
    : loss_(context.algorithm.rollout_loss()),
      passes_(loss_.needs().passes.value()),
      unit_steps_(context.learner.architecture().state_size() > 0 ? steps : 1),
      stream_(context.actor.seed, streams::kMinibatches.id()),
      order_(static_cast<std::size_t>(steps * sequences / unit_steps_)) {
  const auto units = std::ssize(order_);
  if (passes_.minibatches > units) {
    throw Error(fmt::format("ppo.minibatches = {}, but an update has {} {}", passes_.minibatches,
                            units,
                            context.learner.architecture().state_size() == 0
                                ? "samples"
                                : "sequences, which a recurrent network sees whole"));
  }
  shares_each = static_cast<int>(std::min<std::int64_t>(shares_each, units / passes_.minibatches));
  const EnvSpec& spec = context.actor.spec;
  for (std::int64_t m = 0; m < passes_.minibatches; ++m) {
    const auto size =
        begin_of(units, m + 1, passes_.minibatches) - begin_of(units, m, passes_.minibatches);
    auto& minibatch = minibatches_.emplace_back();
    for (int p = 0; p < shares_each; ++p) {
      const auto count = begin_of(size, p + 1, shares_each) - begin_of(size, p, shares_each);
      minibatch.push_back({Rollout(spec, static_cast<int>(unit_steps_), static_cast<int>(count),
                                   context.learner.architecture().state_size())});
    }
  }
  for (int p = 0; p < shares_each; ++p) networks_.push_back(context.actor.make_network(parameters));
  gradients_.resize(static_cast<std::size_t>(shares_each), std::vector<float>(parameters.size()));
  if (context.resume == nullptr) return;
  StateReader reader(context.resume->blob(kOrder));
  stream_.load(reader);
}

Minibatches::Summary Minibatches::learn(std::span<Rollout* const> rollouts, std::int64_t steps,
                                        Workers& workers, const Move& move) {
  const ScheduledLoss loss(loss_, steps);
  loss->prepare(rollouts);
  Summary all;
  for (std::int64_t epoch = 0; epoch < passes_.epochs; ++epoch) {
    shuffle();
    std::span<const std::int64_t> rest = order_;
    for (auto& minibatch : minibatches_) {
      std::int64_t size = 0;
      for (const auto& share : minibatch) size += share.samples.envs();
      const auto chosen = rest.first(static_cast<std::size_t>(size));
      rest = rest.subspan(chosen.size());
      workers.parallel_for(static_cast<int>(minibatch.size()), [&](int p) {
        const auto i = static_cast<std::size_t>(p);
        const auto first = begin_of(size, p, std::ssize(minibatch));
        differentiate(*loss, minibatch[i], *networks_[i],
                      chosen.subspan(static_cast<std::size_t>(first),
                                     static_cast<std::size_t>(minibatch[i].samples.envs())),
                      rollouts, 1.0 / static_cast<double>(size * unit_steps_), gradients_[i]);
      });
      const UpdateInfo moved = move(gradients_);
      all.mean.gradient_norm += moved.gradient_norm;
      all.mean.learning_rate = moved.learning_rate;
      for (const auto& share : minibatch) all.loss += share.loss;
    }
  }
  all.mean.gradient_norm /= static_cast<double>(passes_.epochs * passes_.minibatches);
  return all;
}

/// Shuffles the units; every order is equally likely (Fisher and Yates).
void Minibatches::shuffle() {
  std::iota(order_.begin(), order_.end(), 0);
  for (std::size_t left = order_.size(); left > 1; --left) {
    std::swap(order_[left - 1], order_[stream_.below(static_cast<std::uint32_t>(left))]);
  }
}

/// Copies the chosen units of all rollouts side by side.
void Minibatches::fill(Rollout& samples, std::span<const std::int64_t> chosen,
                       std::span<Rollout* const> rollouts) const {
  for (std::size_t to = 0; to < chosen.size(); ++to) {
    std::int64_t unit = chosen[to];
    auto from = rollouts.begin();
    for (; unit >= (*from)->samples() / unit_steps_; ++from) {
      unit -= (*from)->samples() / unit_steps_;
    }
    if (samples.state_size() == 0) {
      samples.copy_sample(**from, unit, static_cast<int>(to));
    } else {
      samples.copy_sequence(**from, static_cast<int>(unit), static_cast<int>(to));
    }
  }
}

/// Overwrites `gradient` with this share's part of the mean gradient over the minibatch.
void Minibatches::differentiate(const RolloutLoss& loss, Share& share, Network& network,
                                std::span<const std::int64_t> chosen,
                                std::span<Rollout* const> rollouts, double weight,
                                std::span<float> gradient) const {
  fill(share.samples, chosen, rollouts);
  share.inputs.clear();
  share.inputs.add(share.samples);
  network.reload();
  share.inputs.record(network, share.heads);
  network.backward(
      [&](const Heads& heads, const Heads& out) {
        share.loss = loss.loss(heads, share.samples, weight, out);
      },
      gradient);
}

void Minibatches::save(Checkpoint& checkpoint) const {
  StateWriter writer;
  stream_.save(writer);
  checkpoint.add_blob(kOrder, writer.bytes());
}

}  // namespace tandem
