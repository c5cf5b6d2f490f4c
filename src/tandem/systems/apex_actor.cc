#include "tandem/systems/apex_actor.h"

#include <algorithm>

#include "tandem/algo/dqn.h"

namespace tandem {

ApexActor::ApexActor(const ApexActorOptions& options, const Parts& parts, const SharedModel& model)
    : options_(options),
      algorithm_(parts.algorithm),
      copy_(model, parts.make_network),
      env_(parts.make_env, {.first = options.first_env, .count = options.envs, .seed = parts.seed}),
      env_actions_(env_.spec(), options.envs) {
  const auto envs = static_cast<std::size_t>(options.envs);
  const auto& architecture = copy_.network().architecture();
  const auto outputs = envs * static_cast<std::size_t>(architecture.policy_outputs);
  observations_.resize(envs * env_.spec().observation_bytes());
  logits_.resize(outputs);
  value_.resize(architecture.value_head ? envs : 0);
  q_.resize(outputs);
  chosen_.resize(envs);
  for (int id = 0; id < options.envs; ++id) {
    builders_.emplace_back(options.format, options.transitions);
    epsilons_.push_back(algorithm_.epsilon(env_.index(id), 0));
    streams_.push_back(&env_.stream(id));
  }
}

void ApexActor::start() {
  env_.reset(observations_);
  for (int id = 0; id < envs(); ++id) builders_[id].begin(newest_frame(observation(id)));
}

void ApexActor::step(std::vector<std::unique_ptr<Segment>>& full) {
  // Line 13.
  if (steps_ == 0) copy_.synchronise();
  steps_ = (steps_ + 1) % options_.refresh_steps;

  Stopwatch watch;
  infer();
  act(full);
  seconds_.inferring += watch.lap();
  env_.step(env_actions_.of({chosen_}), observations_);
  seconds_.stepping += watch.lap();
  for (int id = 0; id < envs(); ++id) add_result(id);
  seconds_.inferring += watch.lap();
}

/// Line 5, and what the first priorities come from: "no extra cost" (section 3).
void ApexActor::infer() {
  const Heads outputs = heads(envs());
  copy_.network().forward({observations_}, outputs);
  algorithm_.act(outputs, streams_, epsilons_, {chosen_});
  action_values(outputs, q_);
}

/// Lines 7 to 11 but for the sending.
void ApexActor::act(std::vector<std::unique_ptr<Segment>>& full) {
  const auto actions = q_.size() / builders_.size();
  for (std::size_t id = 0; id < builders_.size(); ++id) {
    const auto q = std::span(q_).subspan(id * actions, actions);
    builders_[id].act({.discrete = chosen_[id]},
                      {.action_value = q[static_cast<std::size_t>(chosen_[id])],
                       .state_value = std::ranges::max(q)});
    if (builders_[id].full()) full.push_back(builders_[id].take());
  }
}

/// Line 6.
void ApexActor::add_result(int id) {
  const StepResult& result = env_.result(id);
  auto& builder = builders_[static_cast<std::size_t>(id)];
  const float reward = algorithm_.reward(result.reward);
  const auto frame = newest_frame(observation(id));
  if (!result.terminated && !result.truncated) return builder.step(reward, frame);
  if (result.terminated) {
    builder.terminate(reward);
  } else {
    builder.truncate(reward, newest_frame(env_.final_observation(id)), final_value(id));
  }
  builder.begin(frame);
}

/// What the state is worth at which an episode was cut off.
float ApexActor::final_value(int id) {
  const Heads outputs = heads(1);
  copy_.network().forward({env_.final_observation(id)}, outputs);
  float value = 0;
  algorithm_.values(outputs, {}, std::span(&value, 1));
  return value;
}

std::span<const std::byte> ApexActor::newest_frame(std::span<const std::byte> observation) const {
  return observation.last(options_.format.frame_bytes);
}

std::span<std::byte> ApexActor::observation(int id) {
  const auto bytes = options_.format.observation_bytes();
  return std::span(observations_).subspan(static_cast<std::size_t>(id) * bytes, bytes);
}

Heads ApexActor::heads(std::int64_t batch) {
  const auto actions = static_cast<std::int64_t>(logits_.size() / builders_.size());
  return {batch, actions, std::span(logits_).first(static_cast<std::size_t>(batch * actions)),
          std::span(value_).first(value_.empty() ? 0 : static_cast<std::size_t>(batch))};
}

void ApexActor::save(StateWriter& writer) const {
  writer.put(steps_);
  env_.save(writer);
  for (const auto& builder : builders_) builder.save(writer);
}

void ApexActor::load(StateReader& reader) {
  steps_ = reader.get<std::int64_t>();
  env_.load(reader, observations_);
  for (auto& builder : builders_) builder.load(reader);
}

}  // namespace tandem
