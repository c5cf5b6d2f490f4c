#include "tandem/env/env_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/base/streams.h"
#include "tandem/env/finite.h"

namespace tandem {
namespace {

std::vector<Stream> streams_of(const EnvSpec& spec, const VecEnvOptions& options, int id) {
  std::vector<Stream> streams;
  for (std::int64_t agent = 0; agent < spec.agents; ++agent) {
    if (options.seeds.empty()) {
      const auto row = (std::int64_t{options.first} + id) * spec.agents + agent;
      streams.emplace_back(options.seed,
                           streams::kEnvironments.id(static_cast<std::uint64_t>(row)));
    } else {
      streams.emplace_back(options.seeds.at(static_cast<std::size_t>(id)),
                           streams::kEnvironments.id(static_cast<std::uint64_t>(agent)));
    }
  }
  return streams;
}

}  // namespace

EnvRecord::EnvRecord(const EnvSpec& spec, const VecEnvOptions& options, int id)
    : spec_(spec),
      autoreset_(options.autoreset),
      index_(options.first + id),
      observation_bytes_(spec.observation_bytes()),
      streams_(streams_of(spec, options, id)),
      frames_(spec.frame_bytes(), static_cast<std::size_t>(spec.stack),
              static_cast<std::size_t>(spec.agents)),
      final_observations_(observation_bytes_ * streams_.size()),
      actions_(streams_.size()),
      continuous_(spec.action_low.size() * streams_.size()),
      rewards_(streams_.size() > 1 ? streams_.size() : 0),
      game_{.env = index_} {
  finished_.reserve(64);  // more games than usually end between two calls of take_episodes
}

void EnvRecord::ask_reset(std::byte* observation) {
  resets_ = true;
  observation_ = observation;
  // A training episode may end before its game, whose next life goes on with the game's return.
  if (!ended_ || error_) game_ = {.env = index_};
  error_ = nullptr;
  clear_result();
}

void EnvRecord::ask_step(std::span<const Action> actions, std::byte* observation) {
  const auto dims = spec_.action_low.size();
  observation_ = observation;
  resets_ = ended_;  // the end of the last step's episode, with Autoreset::next_step
  for (std::size_t agent = 0; agent < actions_.size(); ++agent) {
    actions_[agent] = actions[agent];
    if (dims == 0) continue;
    const auto own = std::span(continuous_).subspan(agent * dims, dims);
    std::ranges::copy(actions[agent].continuous, own.begin());
    actions_[agent].continuous = own;
  }
}

template <class Body>
void EnvRecord::guarded(Body body) noexcept {
  try {
    naming_environment(index_, body);
  } catch (...) {
    error_ = std::current_exception();
  }
}

void EnvRecord::clear_result() {
  result_ = {};
  std::ranges::fill(rewards_, 0.0F);
}

void EnvRecord::require_actions() const {
  if (!spec_.discrete()) return;
  for (const auto& action : actions_) {
    if (action.discrete >= 0 && action.discrete < spec_.num_actions) continue;
    throw Error("action " + std::to_string(action.discrete) + " is not one of 0 to " +
                std::to_string(spec_.num_actions - 1));
  }
}

void EnvRecord::serve(Env& env) noexcept {
  if (error_) return;
  guarded([&] {
    if (!resets_) {
      require_actions();
      stepped(env.step(actions_, streams_.front(), frames_.next()));
      if (!ended_ || autoreset_ != Autoreset::same_step) return;
    } else {
      clear_result();
    }
    env.reset(streams_.front(), frames_.next());
    began();
  });
}

GroupRequest EnvRecord::request(int env) {
  GroupRequest request{.env = env};
  if (!resets_) {
    require_actions();
    request.actions = actions_;
    if (autoreset_ == Autoreset::same_step) {
      first_frames_.resize(spec_.step_bytes());
      request.first_frames = first_frames_;
    }
  }
  request.frames = frames_.next();
  return request;
}

void EnvRecord::take(const GroupAnswer& answer) noexcept {
  guarded([&] {
    if (answer.error) std::rethrow_exception(answer.error);
    if (resets_) {
      clear_result();
      return began();
    }
    stepped(answer.result);
    if (!ended_ || autoreset_ != Autoreset::same_step) return;
    std::ranges::copy(first_frames_, frames_.next().begin());
    began();
  });
}

void EnvRecord::fail(const std::exception_ptr& error) noexcept {
  guarded([&] { std::rethrow_exception(error); });
}

/// Throws Error where the newest frames have a number that is not finite. A network would make all
/// its outputs of it, and the run would seem to have diverged.
void EnvRecord::require_finite_frames() const {
  if (spec_.dtype != DType::f32) return;
  const auto frames = frames_.newest();
  if (all_finite(frames)) return;
  std::size_t at = 0;
  while (all_finite(frames.subspan(at * sizeof(float), sizeof(float)))) ++at;
  const auto numbers = spec_.frame_bytes() / sizeof(float);
  throw Error(
      fmt::format("it showed an observation whose number {} (counted from 0) is not finite; mend "
                  "the environment",
                  at % numbers));
}

/// Takes the result of a step whose frames have been written.
void EnvRecord::stepped(const StepResult& result) {
  result_ = result;
  result_.rewards = {};
  if (!rewards_.empty()) {
    if (result.rewards.size() != rewards_.size()) {
      throw Error(fmt::format("a step has {} rewards for {} agents", result.rewards.size(),
                              rewards_.size()));
    }
    std::ranges::copy(result.rewards, rewards_.begin());
    result_.reward = std::accumulate(rewards_.begin(), rewards_.end(), 0.0F) /
                     static_cast<float>(rewards_.size());
  }
  const float gained = result_.score.value_or(result_.reward);
  // A sum of rewards is finite only if each of them is.
  if (!std::isfinite(result_.reward) || !std::isfinite(gained)) {
    throw Error(fmt::format("a step has a reward of {} and a score of {}; both must be finite",
                            result_.reward, gained));
  }
  require_finite_frames();
  game_.episode_return += gained;
  ++game_.steps;
  if (result_.game_over) finished_.push_back(std::exchange(game_, {.env = index_}));
  ended_ = result_.terminated || result_.truncated;
  if (ended_) frames_.copy_to(final_observations_.data());
  const bool another_follows = ended_ && autoreset_ == Autoreset::same_step;
  if (!another_follows) frames_.copy_to(observation_);
}

/// Takes the first frames of an episode, which have been written.
void EnvRecord::began() {
  require_finite_frames();
  has_begun_ = true;
  ended_ = false;
  frames_.fill();
  frames_.copy_to(observation_);
}

std::span<const std::byte> EnvRecord::final_observation(int agent) const {
  return std::span(final_observations_)
      .subspan(static_cast<std::size_t>(agent) * observation_bytes_, observation_bytes_);
}

void EnvRecord::take_episodes(std::vector<Episode>& episodes) {
  episodes.insert(episodes.end(), finished_.begin(), finished_.end());
  finished_.clear();
}

StartState EnvRecord::capture(const Env& env) const {
  StateWriter writer;
  env.save(writer);
  StartState start{.env = writer.bytes(),
                   .observations = std::vector<std::byte>(observation_bytes_ * streams_.size()),
                   .steps = game_.steps};
  frames_.copy_to(start.observations.data());
  return start;
}

void EnvRecord::begin_at(Env& env, const StartState& start, std::byte* observation) {
  ask_reset(observation);
  game_ = {.env = index_};
  StateReader reader(start.env);
  env.load(reader);
  if (!reader.at_end()) throw Error("the saved state is longer than this environment's");
  frames_.assign(start.observations);
  has_begun_ = true;
  ended_ = false;
  frames_.copy_to(observation);
}

void EnvRecord::save(const Env* env, StateWriter& writer) const {
  StateWriter env_state;
  if (env != nullptr) env->save(env_state);
  writer.put_bytes(env_state.bytes());
  for (const auto& stream : streams_) stream.save(writer);
  if (env == nullptr) return;
  frames_.save(writer);
  writer.put(game_.episode_return);
  writer.put(game_.steps);
  writer.put(static_cast<std::uint64_t>(finished_.size()));
  for (const auto& episode : finished_) {
    writer.put(episode.episode_return);
    writer.put(episode.steps);
  }
  if (autoreset_ != Autoreset::same_step) writer.put(ended_);
}

void EnvRecord::load(Env* env, StateReader& reader, std::byte* observation) {
  StateReader env_state(reader.get_bytes());
  if (env != nullptr) env->load(env_state);
  if (!env_state.at_end()) throw Error("the saved state is longer than this environment's");
  for (auto& stream : streams_) stream.load(reader);
  error_ = nullptr;
  clear_result();
  if (env == nullptr) return;
  has_begun_ = true;
  frames_.load(reader);
  const auto get_episode = [&] {
    const auto episode_return = reader.get<double>();
    return Episode{index_, episode_return, reader.get<std::int64_t>()};
  };
  game_ = get_episode();
  const auto games = reader.get<std::uint64_t>();
  finished_.clear();
  for (std::uint64_t i = 0; i < games; ++i) finished_.push_back(get_episode());
  ended_ = autoreset_ != Autoreset::same_step && reader.get<bool>();
  frames_.copy_to(observation);
}

}  // namespace tandem
