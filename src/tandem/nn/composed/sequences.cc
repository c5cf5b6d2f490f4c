#include "tandem/nn/composed/sequences.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tandem {

void Sequences::clear() {
  before_.clear();
  chain_.clear();
  followed_.clear();
  order_.clear();
  wave_ends_.clear();
  chains_ = 0;
  latest_ = 0;
}

std::size_t Sequences::add(std::size_t batch, std::span<const std::int64_t> follows,
                           std::span<const std::uint8_t> episode_starts) {
  const auto first = samples();
  const auto first_wave = waves();
  if (follows.empty() && first > 0 && batch != latest_) {
    throw std::logic_error("Network: without Inputs::follows, recorded steps need one batch size");
  }
  depth_.clear();
  for (std::size_t i = 0; i < batch; ++i) {
    auto to = follows.empty() ? kStartsSequence : follows[i];
    if (follows.empty() && first > 0) to = static_cast<std::int64_t>(first - batch + i);
    to = checked(to, first + i);
    const auto at = static_cast<std::size_t>(to);
    depth_.push_back(to >= static_cast<std::int64_t>(first) ? depth_[at - first] + 1 : 0);
    const bool starts = to == kStartsSequence || episode_starts[i] != 0;
    before_.push_back(starts ? kStartsSequence : to);
    chain_.push_back(starts ? chains_++ : chain_[at]);
    followed_.push_back(0);
  }
  order(first);
  latest_ = waves() == first_wave + 1 ? batch : 0;
  return first_wave;
}

/// Returns `followed`, and marks it as a sample that another one follows. Throws std::logic_error
/// when `sample` may not follow it.
std::int64_t Sequences::checked(std::int64_t followed, std::size_t sample) {
  if (followed == kStartsSequence) return followed;
  if (followed < 0 || followed >= static_cast<std::int64_t>(sample)) {
    throw std::logic_error("Inputs::follows: a sample may follow only an earlier one");
  }
  auto& mark = followed_[static_cast<std::size_t>(followed)];
  if (mark != 0) throw std::logic_error("Inputs::follows: two samples follow the same one");
  mark = 1;
  return followed;
}

/// Appends the samples from `first` on to order_, in waves of equal depth.
void Sequences::order(std::size_t first) {
  next_.assign(std::ranges::max(depth_) + 1, 0);
  for (const auto depth : depth_) ++next_[depth];
  auto end = order_.size();
  for (auto& next : next_) {
    const auto count = std::exchange(next, end);
    end += count;
    wave_ends_.push_back(end);
  }
  order_.resize(end);
  for (std::size_t i = 0; i < depth_.size(); ++i) order_[next_[depth_[i]]++] = first + i;
}

std::span<const std::size_t> Sequences::wave(std::size_t index) const {
  const auto begin = index == 0 ? 0 : wave_ends_[index - 1];
  return std::span(order_).subspan(begin, wave_ends_[index] - begin);
}

}  // namespace tandem
