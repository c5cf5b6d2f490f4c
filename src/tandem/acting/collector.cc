#include "tandem/acting/collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tandem/base/error.h"

namespace tandem {

Collector::Collector(VecEnv env, ActorNetwork& actor, ActorNetwork* target,
                     const Algorithm& algorithm, int t_max, RolloutEnd end, LastState last_state,
                     Rewards rewards)
    : Collector(std::move(env), actor, target, *algorithm.acting,
                algorithm.rollout_loss().needs().bootstrap, t_max, end, last_state, rewards) {}

Collector::Collector(VecEnv env, ActorNetwork& actor, ActorNetwork* target, const ActingRule& rule,
                     Bootstrap bootstrap, int t_max, RolloutEnd end, LastState last_state,
                     Rewards rewards)
    : env_(std::move(env)),
      actor_(actor),
      target_(target),
      rule_(rule),
      bootstrap_(bootstrap),
      end_(end),
      last_state_(last_state),
      rollout_(env_.spec(), t_max, env_.size(), actor.architecture().state_size()),
      state_(actor.architecture(), env_.size()),
      actions_(env_.spec(), env_.size()),
      episodes_(static_cast<std::size_t>(env_.size())),
      epsilons_(episodes_.size()) {
  if (rewards == Rewards::scaled) reward_scale_.emplace(env_.size(), rule_.gamma());
  if (last_state == LastState::acted_on &&
      (target != nullptr || bootstrap_ == Bootstrap::every_state || chooses_ahead())) {
    throw std::logic_error("a pass over other states than the last, or of a target, cannot act");
  }
  for (int id = 0; id < env_.size(); ++id) {
    ids_.push_back(id);
    streams_.push_back(&env_.stream(id));
  }
}

void Collector::start() {
  env_.reset(rollout_.observations(rollout_.steps()));
  state_.restart();
  for (const int id : ids_) set_epsilon(id);
  has_chosen_ = !chooses_ahead();
}

void Collector::save(StateWriter& writer) {
  choose_first();
  env_.save(writer);
  state_.save(writer);
  if (chooses_ahead()) writer.put_bytes(std::as_bytes(rollout_.actions(rollout_.steps())));
  writer.put_values(episodes_);
  if (reward_scale_) reward_scale_->save(writer);
}

void Collector::load(StateReader& reader) {
  const bool games_go_on = env_.load(reader, rollout_.observations(rollout_.steps()));
  state_.load(reader);
  if (chooses_ahead()) load_chosen(reader);
  if (!reader.at_end()) episodes_ = reader.get_values<std::int64_t>();
  if (std::ssize(episodes_) != env_.size()) throw Error("the checkpoint has other environments");
  if (reward_scale_) reward_scale_->load(reader);
  if (games_go_on) return;
  for (int id = 0; reward_scale_ && id < env_.size(); ++id) reward_scale_->end_episode(id);
  state_.restart();
  for (auto& episodes : episodes_) ++episodes;
  has_chosen_ = !chooses_ahead();
}

/// Chooses the actions of states that begin a game, by the epsilons of their steps.
void Collector::choose_first() {
  if (has_chosen_) return;
  choose_ahead();
  has_chosen_ = true;
}

void Collector::load_chosen(StateReader& reader) {
  const auto chosen = std::as_writable_bytes(rollout_.actions(rollout_.steps()));
  reader.get_into(chosen, "the checkpoint has other environments");
}

Rollout& Collector::collect(std::int64_t steps) {
  steps_ = steps;
  for (const int id : ids_) set_epsilon(id);
  choose_first();
  rollout_.carry_over();
  for (int t = 0; t < rollout_.steps(); ++t) {
    act(t);
    step(t);
    if (on_step_) on_step_();
    // A gamma of 0 makes all discounts 0, so these do not tell where an episode ends.
    const auto& result = env_.result(0);
    const bool ended = result.terminated || result.truncated;
    if (end_ == RolloutEnd::at_episode && ended) rollout_.set_steps(t + 1);
  }
  const Stopwatch watch;
  if (chooses_ahead()) choose_ahead();
  bootstrap();
  seconds_.inferring += watch.seconds();
  return rollout_;
}

void Collector::exchange(Rollout& other) {
  other.follow(rollout_);
  std::swap(other, rollout_);
}

TimeShares Collector::take_seconds() { return std::exchange(seconds_, {}); }

void Collector::set_epsilon(int id) {
  const auto i = static_cast<std::size_t>(id);
  epsilons_[i] = rule_.epsilon(env_.index(id), episodes_[i], steps_);
}

void Collector::act(int t) {
  Stopwatch watch;
  const Heads heads = outputs(env_.size());
  keep_states(t);
  std::ranges::copy(epsilons_, rollout_.epsilons(t).begin());
  if (!std::exchange(looked_ahead_, false)) {
    actor_.act(state_.look(ids_, rollout_.observations(t)), heads);
  }
  state_.keep(ids_);
  std::ranges::copy(heads.value, rollout_.values(t).begin());
  const bool chosen = chooses_ahead() && t == 0;
  if (!chosen) rule_.act(heads, streams_, epsilons_, rollout_.taken(t));
  seconds_.inferring += watch.lap();
}

void Collector::step(int t) {
  Stopwatch watch;
  env_.step(actions_.of(rollout_.taken(t)), rollout_.observations(t + 1));
  seconds_.stepping += watch.lap();

  const auto gamma = static_cast<float>(rule_.gamma());
  for (int id = 0; id < env_.size(); ++id) {
    const StepResult& result = env_.result(id);
    const auto i = static_cast<std::size_t>(id);
    const bool ended = result.terminated || result.truncated;
    float reward = learnt_reward(id, ended);
    // An episode that a time limit cut off would have continued, so its return includes the value
    // of its last state.
    if (result.truncated && !result.terminated && bootstrap_ != Bootstrap::none) {
      reward += gamma * final_value(id);
    }
    rollout_.rewards(t)[i] = reward;
    rollout_.discounts(t)[i] = ended ? 0.0F : gamma;
    if (!ended) continue;
    state_.restart(id);
    ++episodes_[i];
    set_epsilon(id);
  }
  seconds_.inferring += watch.lap();
}

/// The reward to learn from of an environment's last step.
float Collector::learnt_reward(int id, bool ended) {
  const float raw = env_.reward(id);
  if (!reward_scale_) return rule_.reward(raw);
  const float scaled = reward_scale_->scale(id, raw);
  if (ended) reward_scale_->end_episode(id);
  return rule_.reward(scaled);
}

void Collector::look_beyond(const Inputs& inputs, const Heads& out) {
  (target_ != nullptr ? *target_ : actor_).look(inputs, out);
}

Heads Collector::outputs(std::int64_t batch) { return heads_.of(actor_.architecture(), batch); }

/// Computes the values of the last state, or of every state after the first, in one batch. Leaves
/// the recurrent states unchanged, because the actor has yet to act in the last observation.
void Collector::bootstrap() {
  const int last = rollout_.steps();
  keep_states(last);
  if (bootstrap_ == Bootstrap::none) {
    require_ends(last - 1);
    std::ranges::fill(rollout_.values(last), 0.0F);
    return;
  }
  const int first = bootstrap_ == Bootstrap::last_state ? last : 1;
  const int rows = last - first + 1;
  const Heads heads = outputs(std::int64_t{rows} * env_.size());
  look_beyond(inputs_from(first), heads);
  rule_.values(heads, rollout_.actions(first, rows), rollout_.values(first, rows));
  looked_ahead_ = last_state_ == LastState::acted_on;
}

/// Copies the recurrent states before observation t, from which learners start sequences.
void Collector::keep_states(int t) {
  state_.copy_to(rollout_.states(t), rollout_.episode_starts(t));
}

/// The inputs of all rows from `first` to the last one. The pass must not overwrite the rollout's
/// states, so several rows are copied.
Inputs Collector::inputs_from(int first) {
  const int rows = rollout_.steps() - first + 1;
  const auto observations = rollout_.observations(first, rows);
  if (rows == 1) return state_.look(ids_, observations);
  const auto states = rollout_.states(first, rows);
  later_states_.assign(states.begin(), states.end());
  return {.observations = observations,
          .state = later_states_,
          .episode_starts = rollout_.episode_starts(first, rows)};
}

/// Throws Error unless all episodes end at step t: without a bootstrap value, the return of an
/// unfinished episode would be wrong.
void Collector::require_ends(int t) {
  const auto discounts = rollout_.discounts(t);
  if (std::ranges::all_of(discounts, [](float discount) { return discount == 0; })) return;
  throw Error(fmt::format(
      "no bootstrapping (a2c.bootstrap = false) needs rollouts that last until the "
      "episode's end, and one broke off after {} steps: raise the system's t_max to the "
      "steps of the longest episode",
      t + 1));
}

/// Chooses a_T before the update, because Sarsa's target needs the next action that will be taken.
void Collector::choose_ahead() {
  const int last = rollout_.steps();
  const Heads heads = outputs(env_.size());
  actor_.look(state_.look(ids_, rollout_.observations(last)), heads);
  rule_.act(heads, streams_, epsilons_, rollout_.taken(last));
}

/// The value of the state at which an episode was cut off. No action is taken there; for Sarsa,
/// one is drawn for the value alone.
float Collector::final_value(int id) {
  const auto observation = env_.final_observation(id);
  const std::span ids(&id, 1);
  const auto i = static_cast<std::size_t>(id);
  const Heads heads = outputs(1);
  std::int32_t action = 0;
  if (chooses_ahead()) {
    actor_.look(state_.look(ids, observation), heads);
    rule_.act(heads, std::span(streams_).subspan(i, 1), std::span(epsilons_).subspan(i, 1),
              {std::span(&action, 1)});
  }
  float value = 0;
  look_beyond(state_.look(ids, observation), heads);
  rule_.values(heads, std::span(&action, 1), std::span(&value, 1));
  return value;
}

}  // namespace tandem
