#include "tandem/systems/apex/apex_actor.h"

#include <fmt/format.h>

#include <cmath>

#include "tandem/base/error.h"

namespace tandem {

ApexActor::ApexActor(const ApexActorOptions& options, const ActorContext& context,
                     const SharedModel& model)
    : options_(options),
      rule_(context.rule),
      env_(context.make_env,
           {.first = options.first_env, .count = options.envs, .seed = options.seed}),
      policy_(rule_, model, context.make_network, env_.spec(), options.envs),
      observations_(static_cast<std::size_t>(options.envs) * env_.spec().observation_bytes()),
      episodes_(static_cast<std::size_t>(options.envs)),
      epsilons_(episodes_.size()) {
  for (int id = 0; id < options.envs; ++id) {
    builders_.emplace_back(options.format, options.transitions);
    streams_.push_back(&env_.stream(id));
  }
}

void ApexActor::start() {
  env_.reset(observations_);
  for (int id = 0; id < envs(); ++id) {
    begin_episode(id, 0);
    builders_[id].begin(newest_frame(observation(id)));
  }
}

void ApexActor::begin_episode(int id, std::int64_t episode) {
  const auto i = static_cast<std::size_t>(id);
  episodes_[i] = episode;
  epsilons_[i] = rule_.epsilon(env_.index(id), episode, 0);
}

void ApexActor::step(std::vector<std::unique_ptr<Segment>>& full) {
  // Copies the newest parameters every refresh_steps steps (Algorithm 1, line 13).
  if (steps_ == 0) policy_.synchronise();
  steps_ = (steps_ + 1) % options_.refresh_steps;

  Stopwatch watch;
  const auto [actions, judgements] = policy_.act(observations_, streams_, epsilons_);
  // Buffers the transitions with their priorities (lines 7 to 10). The caller sends them (line 11).
  for (std::size_t id = 0; id < builders_.size(); ++id) {
    builders_[id].act(actions[id], judgements[id]);
    if (builders_[id].full()) full.push_back(builders_[id].take());
  }
  seconds_.inferring += watch.lap();
  env_.step(actions, observations_);
  seconds_.stepping += watch.lap();
  for (int id = 0; id < envs(); ++id) add_result(id);
  seconds_.inferring += watch.lap();
}

/// Hands the result of the environment's step (Algorithm 1, line 6) to the builder.
void ApexActor::add_result(int id) {
  const StepResult& result = env_.result(id);
  auto& builder = builders_[static_cast<std::size_t>(id)];
  if (!std::isfinite(result.reward)) {
    throw Error(
        fmt::format("environment {} gave a reward of {}", options_.first_env + id, result.reward));
  }
  const float reward = rule_.reward(result.reward);
  const auto frame = newest_frame(observation(id));
  if (!result.terminated && !result.truncated) return builder.step(reward, frame);
  if (result.terminated) {
    builder.terminate(reward);
  } else {
    const auto last = env_.final_observation(id);
    builder.truncate(reward, newest_frame(last), policy_.value(last));
  }
  begin_episode(id, episodes_[static_cast<std::size_t>(id)] + 1);
  builder.begin(frame);
}

std::span<const std::byte> ApexActor::newest_frame(std::span<const std::byte> observation) const {
  return observation.last(options_.format.frame_bytes);
}

std::span<const std::byte> ApexActor::observation(int id) const {
  const auto bytes = options_.format.observation_bytes();
  return std::span(observations_).subspan(static_cast<std::size_t>(id) * bytes, bytes);
}

void ApexActor::save(StateWriter& writer) const {
  writer.put(steps_);
  env_.save(writer);
  for (const auto& builder : builders_) builder.save(writer);
  writer.put_values(episodes_);
}

void ApexActor::load(StateReader& reader) {
  steps_ = reader.get<std::int64_t>();
  env_.load(reader, observations_);
  for (auto& builder : builders_) builder.load(reader);
  auto episodes = std::vector<std::int64_t>(episodes_.size());
  if (!reader.at_end()) episodes = reader.get_values<std::int64_t>();
  if (episodes.size() != episodes_.size()) throw Error("the checkpoint has other environments");
  for (int id = 0; id < envs(); ++id) begin_episode(id, episodes[static_cast<std::size_t>(id)]);
}

}  // namespace tandem
