#include "tandem/systems/apex/apex_actor.h"

#include <utility>

#include "tandem/base/error.h"

namespace tandem {

ApexActor::ApexActor(const ApexActorOptions& options, const ActorContext& context, NetworkCopy copy)
    : options_(options),
      rule_(context.rule),
      env_(context.make_env,
           {.first = options.first_env, .count = options.envs, .seed = options.seed}),
      policy_(rule_, std::move(copy), env_.spec(), env_.size()),
      observations_(static_cast<std::size_t>(env_.size()) * env_.spec().observation_bytes()),
      episodes_(static_cast<std::size_t>(env_.size())),
      epsilons_(episodes_.size()) {
  if (context.rewards == Rewards::scaled) reward_scale_.emplace(size(), rule_.gamma());
  for (int row = 0; row < size(); ++row) {
    builders_.emplace_back(options.format, options.transitions);
    streams_.push_back(&env_.stream(row));
  }
}

void ApexActor::start() {
  env_.reset(observations_);
  for (int row = 0; row < size(); ++row) begin_episode(row, 0);
  begin_transitions();
}

void ApexActor::keep_reward_scale(RewardScale scale) {
  for (int row = 0; row < size(); ++row) scale.end_episode(row);
  reward_scale_ = std::move(scale);
}

void ApexActor::begin_episode(int row, std::int64_t episode) {
  const auto i = static_cast<std::size_t>(row);
  episodes_[i] = episode;
  epsilons_[i] = rule_.epsilon(env_.index(row), episode, 0);
}

void ApexActor::begin_transitions() {
  for (int row = 0; row < size(); ++row) {
    builders_[static_cast<std::size_t>(row)].begin(newest_frame(observation(row)));
  }
}

void ApexActor::step(std::vector<std::unique_ptr<Segment>>& full) {
  // Copies the newest parameters every refresh_steps steps (Algorithm 1, line 13).
  if (steps_ == 0) policy_.synchronise();
  steps_ = (steps_ + 1) % options_.refresh_steps;

  Stopwatch watch;
  const auto [actions, judgements] = policy_.act(observations_, streams_, epsilons_);
  // Buffers the transitions with their priorities (lines 7 to 10). The caller sends them (line 11).
  for (std::size_t row = 0; row < builders_.size(); ++row) {
    builders_[row].act(actions[row], judgements[row]);
    if (builders_[row].full()) full.push_back(builders_[row].take());
  }
  seconds_.inferring += watch.lap();
  env_.step(actions, observations_);
  seconds_.stepping += watch.lap();
  for (int row = 0; row < size(); ++row) add_result(row);
  seconds_.inferring += watch.lap();
}

/// Hands the result of the environment's step (Algorithm 1, line 6) to the builder.
void ApexActor::add_result(int row) {
  const StepResult& result = env_.result(row);
  auto& builder = builders_[static_cast<std::size_t>(row)];
  const float raw = env_.reward(row);
  const float reward = rule_.reward(reward_scale_ ? reward_scale_->scale(row, raw) : raw);
  const auto frame = newest_frame(observation(row));
  if (!result.terminated && !result.truncated) return builder.step(reward, frame);
  if (result.terminated) {
    builder.terminate(reward);
  } else {
    const auto last = env_.final_observation(row);
    builder.truncate(reward, newest_frame(last), policy_.value(last));
  }
  if (reward_scale_) reward_scale_->end_episode(row);
  begin_episode(row, episodes_[static_cast<std::size_t>(row)] + 1);
  builder.begin(frame);
}

std::span<const std::byte> ApexActor::newest_frame(std::span<const std::byte> observation) const {
  return observation.last(options_.format.frame_bytes);
}

std::span<const std::byte> ApexActor::observation(int row) const {
  const auto bytes = options_.format.observation_bytes();
  return std::span(observations_).subspan(static_cast<std::size_t>(row) * bytes, bytes);
}

void ApexActor::save(StateWriter& writer) const {
  writer.put(steps_);
  env_.save(writer);
  for (const auto& builder : builders_) builder.save(writer);
  writer.put_values(episodes_);
  if (reward_scale_) reward_scale_->save(writer);
}

void ApexActor::load(StateReader& reader) {
  steps_ = reader.get<std::int64_t>();
  const bool games_go_on = env_.load(reader, observations_);
  for (auto& builder : builders_) builder.load(reader);
  auto episodes = std::vector<std::int64_t>(episodes_.size());
  if (!reader.at_end()) episodes = reader.get_values<std::int64_t>();
  if (episodes.size() != episodes_.size()) throw Error("the checkpoint has other environments");
  for (int row = 0; row < size(); ++row) {
    const auto begun = episodes[static_cast<std::size_t>(row)];
    begin_episode(row, games_go_on ? begun : begun + 1);
  }
  if (reward_scale_) reward_scale_->load(reader);
  if (games_go_on) return;
  for (int row = 0; reward_scale_ && row < size(); ++row) reward_scale_->end_episode(row);
  begin_transitions();
}

}  // namespace tandem
