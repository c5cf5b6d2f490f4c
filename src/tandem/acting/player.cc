#include "tandem/acting/player.h"

#include <fmt/format.h>

#include <iterator>
#include <numeric>

#include "tandem/base/error.h"
#include "tandem/base/streams.h"
#include "tandem/env/finite.h"

namespace tandem {

Player::Player(Network& network, const ActingRule& rule, const EnvSpec& spec, int envs,
               std::uint64_t seed)
    : network_(network),
      rule_(rule),
      spec_(spec),
      state_(network.architecture(), envs),
      env_actions_(spec, envs),
      ids_(static_cast<std::size_t>(envs)),
      epsilons_(ids_.size(), rule.evaluation_epsilon()),
      discrete_(ids_.size()),
      continuous_(ids_.size() * spec.action_low.size()) {
  std::iota(ids_.begin(), ids_.end(), 0);
  for (const int id : ids_) {
    streams_.emplace_back(seed, streams::kPlayers.id(static_cast<std::uint64_t>(id)));
  }
  for (auto& stream : streams_) stream_pointers_.push_back(&stream);
}

std::span<const Action> Player::act(std::span<const std::byte> observations, Play play) {
  if (observations.size() != ids_.size() * spec_.observation_bytes()) {
    throw Error(fmt::format("{} environments need observations of {} bytes each, {} were given",
                            ids_.size(), spec_.observation_bytes(), observations.size()));
  }
  if (spec_.dtype == DType::f32 && !all_finite(observations)) {
    throw Error("an observation has a number that is not finite");
  }
  const Actions chosen{discrete_, continuous_};
  if (play == Play::uniform) {
    act_uniformly(spec_, stream_pointers_, chosen);
    return env_actions_.of(chosen);
  }
  const Heads heads = heads_.of(network_.architecture(), std::ssize(ids_));
  network_.forward(state_.look(ids_, observations), heads);
  state_.keep(ids_);
  if (play == Play::greedy) {
    rule_.act_greedily(heads, chosen);
  } else {
    rule_.act(heads, stream_pointers_, epsilons_, chosen);
  }
  return env_actions_.of(chosen);
}

}  // namespace tandem
