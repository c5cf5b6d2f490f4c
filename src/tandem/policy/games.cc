#include "tandem/policy/games.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "tandem/base/error.h"

namespace tandem {
namespace {

void most_probable(const Heads& heads, std::span<std::int32_t> actions) {
  const auto width = static_cast<std::size_t>(heads.actions);
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const auto logits = heads.logits.subspan(i * width, width);
    actions[i] = static_cast<std::int32_t>(std::ranges::max_element(logits) - logits.begin());
  }
}

}  // namespace

Games::Games(VecEnv env, Network& network, const Algorithm& algorithm, Play play)
    : env_(std::move(env)),
      network_(network),
      algorithm_(algorithm),
      play_(play),
      state_(network, env_.size()) {
  const auto& spec = env_.spec();
  if (!spec.discrete()) throw Error("only environments with discrete actions can be played");
  const auto count = static_cast<std::size_t>(env_.size());
  playing_.resize(count);
  std::iota(playing_.begin(), playing_.end(), 0);
  observations_.resize(count * spec.observation_bytes());
  batch_.resize(observations_.size());
  logits_.resize(count * static_cast<std::size_t>(network.architecture().policy_outputs));
  value_.resize(network.architecture().value_head ? count : 0);
  streams_.resize(count);
  epsilons_.assign(count, algorithm.evaluation_epsilon());
  chosen_.resize(count);
  actions_.resize(count);
  targets_.resize(count);
  env_.reset(observations_);
}

void Games::step() {
  choose_actions();
  const auto count = playing_.size();
  for (std::size_t i = 0; i < count; ++i) {
    actions_[i].discrete = chosen_[i];
    targets_[i] = observation(playing_[i]);
  }
  env_.send(playing_, std::span(actions_).first(count), std::span(targets_).first(count));
  env_.receive(static_cast<int>(count));
  for (const int id : playing_) {
    if (env_.result(id).terminated || env_.result(id).truncated) state_.restart(id);
  }
  std::erase_if(playing_, [this](int id) { return env_.result(id).game_over; });
}

void Games::choose_actions() {
  const auto count = playing_.size();
  const auto bytes = env_.spec().observation_bytes();
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(&batch_[i * bytes], observation(playing_[i]), bytes);
    streams_[i] = &env_.stream(playing_[i]);
  }
  const auto& architecture = network_.architecture();
  const auto width = architecture.policy_outputs;
  const Heads heads{static_cast<std::int64_t>(count), width,
                    std::span(logits_).first(count * static_cast<std::size_t>(width)),
                    std::span(value_).first(architecture.value_head ? count : 0)};
  network_.forward(state_.look(playing_, std::span(batch_).first(count * bytes)), heads);
  state_.keep(playing_);
  const auto chosen = std::span(chosen_).first(count);
  if (play_ == Play::greedy) return most_probable(heads, chosen);
  algorithm_.act(heads, std::span(streams_).first(count), std::span(epsilons_).first(count),
                 chosen);
}

}  // namespace tandem
