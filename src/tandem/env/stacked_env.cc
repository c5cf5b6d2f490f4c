#include "tandem/env/stacked_env.h"

#include <string>
#include <utility>

namespace tandem {

StackedEnv::StackedEnv(std::unique_ptr<Env> env, std::uint64_t seed, int index)
    : env_(std::move(env)),
      index_(index),
      stream_(seed, static_cast<std::uint64_t>(index)),
      frames_(spec().frame_bytes(), static_cast<std::size_t>(spec().stack)),
      final_observation_(spec().observation_bytes()),
      game_{.env = index} {
  finished_.reserve(64);  // more games than usually end between two calls of take_episodes
}

void StackedEnv::reset(std::byte* observation) {
  result_ = {};
  game_ = {.env = index_};
  begin_episode(observation);
}

void StackedEnv::step(const Action& action, std::byte* observation) {
  if (spec().discrete() && (action.discrete < 0 || action.discrete >= spec().num_actions)) {
    throw Error("action " + std::to_string(action.discrete) + " is not one of 0 to " +
                std::to_string(spec().num_actions - 1));
  }
  result_ = env_->step(action, stream_, frames_.next());
  game_.episode_return += result_.reward;
  ++game_.steps;
  if (result_.game_over) finished_.push_back(std::exchange(game_, {.env = index_}));
  if (!result_.terminated && !result_.truncated) {
    frames_.copy_to(observation);
    return;
  }
  frames_.copy_to(final_observation_.data());
  begin_episode(observation);
}

void StackedEnv::begin_episode(std::byte* observation) {
  env_->reset(stream_, frames_.next());
  frames_.fill();
  frames_.copy_to(observation);
}

void StackedEnv::take_episodes(std::vector<Episode>& episodes) {
  episodes.insert(episodes.end(), finished_.begin(), finished_.end());
  finished_.clear();
}

void StackedEnv::save(StateWriter& writer) const {
  StateWriter env_state;
  env_->save(env_state);
  writer.put_bytes(env_state.bytes());
  stream_.save(writer);
  frames_.save(writer);
  writer.put(game_.episode_return);
  writer.put(game_.steps);
  writer.put(static_cast<std::uint64_t>(finished_.size()));
  for (const auto& episode : finished_) {
    writer.put(episode.episode_return);
    writer.put(episode.steps);
  }
}

void StackedEnv::load(StateReader& reader, std::byte* observation) {
  StateReader env_state(reader.get_bytes());
  env_->load(env_state);
  if (!env_state.at_end()) throw Error("the saved state is longer than this environment's");
  stream_.load(reader);
  frames_.load(reader);
  const auto get_episode = [&] {
    const auto episode_return = reader.get<double>();
    return Episode{index_, episode_return, reader.get<std::int64_t>()};
  };
  game_ = get_episode();
  const auto games = reader.get<std::uint64_t>();
  finished_.clear();
  for (std::uint64_t i = 0; i < games; ++i) finished_.push_back(get_episode());
  result_ = {};
  frames_.copy_to(observation);
}

}  // namespace tandem
