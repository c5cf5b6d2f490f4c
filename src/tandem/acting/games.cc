#include "tandem/acting/games.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace tandem {

Games::Games(VecEnv env, Network& network, const ActingRule& rule, Play play,
             std::span<const StartState> starts)
    : env_(std::move(env)),
      network_(network),
      rule_(rule),
      play_(play),
      state_(network.architecture(), env_.size()),
      actions_(env_.spec(), env_.size()) {
  const auto& spec = env_.spec();
  const auto count = static_cast<std::size_t>(env_.size());
  playing_.resize(static_cast<std::size_t>(env_.envs()));
  std::iota(playing_.begin(), playing_.end(), 0);
  rows_.resize(count);
  std::iota(rows_.begin(), rows_.end(), 0);
  observations_.resize(count * spec.observation_bytes());
  batch_.resize(observations_.size());
  streams_.resize(count);
  epsilons_.assign(count, rule.evaluation_epsilon());
  chosen_.resize(count);
  controls_.resize(count * spec.action_low.size());
  targets_.resize(playing_.size());
  begin(starts);
}

void Games::begin(std::span<const StartState> starts) {
  if (starts.empty()) return env_.reset(observations_);
  const auto agents = static_cast<int>(env_.spec().agents);
  for (const int id : playing_) {
    const auto game = static_cast<std::size_t>(env_.index(id * agents) / agents);
    env_.begin_at(id, starts[game % starts.size()], observation(id * agents));
  }
}

void Games::step() {
  const auto chosen = choose_actions();
  const auto count = playing_.size();
  const auto agents = static_cast<int>(env_.spec().agents);
  for (std::size_t i = 0; i < count; ++i) targets_[i] = observation(playing_[i] * agents);
  env_.send(playing_, actions_.of(chosen), std::span(targets_).first(count));
  env_.receive(static_cast<int>(count));
  for (const int row : rows_) {
    if (env_.result(row).terminated || env_.result(row).truncated) state_.restart(row);
  }
  std::erase_if(playing_, [&](int id) { return env_.result(id * agents).game_over; });
  std::erase_if(rows_, [this](int row) { return env_.result(row).game_over; });
}

Actions Games::choose_actions() {
  const auto count = rows_.size();
  const Actions chosen{std::span(chosen_).first(count),
                       std::span(controls_).first(count * env_.spec().action_low.size())};
  const auto streams = std::span(streams_).first(count);
  for (std::size_t i = 0; i < count; ++i) streams[i] = &env_.stream(rows_[i]);
  if (play_ == Play::uniform) {
    act_uniformly(env_.spec(), streams, chosen);
    return chosen;
  }
  const auto bytes = env_.spec().observation_bytes();
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(&batch_[i * bytes], observation(rows_[i]), bytes);
  }
  const Heads heads = heads_.of(network_.architecture(), std::ssize(rows_));
  network_.forward(state_.look(rows_, std::span(batch_).first(count * bytes)), heads);
  state_.keep(rows_);
  if (play_ == Play::greedy) {
    rule_.act_greedily(heads, chosen);
  } else {
    rule_.act(heads, streams, std::span(epsilons_).first(count), chosen);
  }
  return chosen;
}

}  // namespace tandem
