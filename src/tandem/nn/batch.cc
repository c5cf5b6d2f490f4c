#include "tandem/nn/batch.h"

#include <stdexcept>

namespace tandem {

void require_sizes(const Architecture& architecture, const Inputs& inputs, const Heads& out,
                   bool takes_pieces) {
  std::int64_t bytes = architecture.input_dtype == DType::u8 ? 1 : 4;
  for (const auto size : architecture.input_shape) bytes *= size;
  const auto is = [&](std::size_t size, std::int64_t of_one) {
    return size == static_cast<std::size_t>(out.batch * of_one);
  };
  // Pieces must hold whole samples, and replace `observations`.
  bool whole = inputs.pieces.empty() || (takes_pieces && inputs.observations.empty());
  std::size_t observed = inputs.observations.size();
  for (const auto& piece : inputs.pieces) {
    observed += piece.size();
    whole = whole && piece.size() % static_cast<std::size_t>(bytes) == 0;
  }
  if (out.batch > 0 && whole && out.actions == architecture.policy_outputs && is(observed, bytes) &&
      is(out.logits.size(), out.actions) && is(out.value.size(), architecture.value_head ? 1 : 0) &&
      is(inputs.state.size(), architecture.state_size()) &&
      is(inputs.episode_starts.size(), architecture.state_size() > 0 ? 1 : 0) &&
      (inputs.follows.empty() || is(inputs.follows.size(), 1))) {
    return;
  }
  throw std::logic_error("Network: the batch has other sizes than the architecture");
}

Inputs Pieces::inputs_of(const Network& network) {
  if (network.takes_pieces()) return {.observations = {}, .pieces = pieces_};
  if (pieces_.size() == 1) return {pieces_.front()};
  side_by_side_.clear();
  for (const auto& piece : pieces_) {
    side_by_side_.insert(side_by_side_.end(), piece.begin(), piece.end());
  }
  return {side_by_side_};
}

Heads rows_of(const Heads& heads, std::int64_t first, std::int64_t count) {
  const auto cut = [&](std::span<float> all, std::int64_t width) {
    return all.subspan(static_cast<std::size_t>(first * width),
                       static_cast<std::size_t>(count * width));
  };
  return {count, heads.actions, cut(heads.logits, heads.actions),
          cut(heads.value, heads.value.empty() ? 0 : 1)};
}

Inputs rows_of(const Inputs& inputs, std::int64_t first, std::int64_t count, std::int64_t batch) {
  const auto cut = [&](auto all) {
    const auto width = all.size() / static_cast<std::size_t>(batch);
    return all.subspan(static_cast<std::size_t>(first) * width,
                       static_cast<std::size_t>(count) * width);
  };
  return {.observations = cut(inputs.observations),
          .state = cut(inputs.state),
          .episode_starts = cut(inputs.episode_starts),
          .follows = cut(inputs.follows)};
}

Heads HeadsBuffer::of(const Architecture& architecture, std::int64_t batch) {
  logits_.resize(static_cast<std::size_t>(batch * architecture.policy_outputs));
  value_.resize(architecture.value_head ? static_cast<std::size_t>(batch) : 0);
  return {batch, architecture.policy_outputs, logits_, value_};
}

void RecordedHeads::add(const Heads& heads) {
  logits_.insert(logits_.end(), heads.logits.begin(), heads.logits.end());
  value_.insert(value_.end(), heads.value.begin(), heads.value.end());
  samples_ += heads.batch;
}

void RecordedHeads::clear() {
  logits_.clear();
  value_.clear();
  samples_ = 0;
}

Heads RecordedHeads::gradient(const HeadLoss& loss) {
  if (samples_ == 0) throw std::logic_error("Network::backward: nothing is recorded");
  logits_gradient_.resize(logits_.size());
  value_gradient_.resize(value_.size());
  const Heads gradient{samples_, actions_, logits_gradient_, value_gradient_};
  loss({samples_, actions_, logits_, value_}, gradient);
  return gradient;
}

}  // namespace tandem
