// The experience of one update: T steps of B environments, preallocated and reused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/base/state.h"
#include "tandem/data/actions.h"
#include "tandem/env/env.h"

namespace tandem {

/// The experience of one update. Time-major storage, [T, B] or [T, B, ...]; observations, actions,
/// values and recurrent states have T + 1 rows, the last for the bootstrap. Row t + 1 of the
/// observations follows action t. Only algorithms that choose a_T in advance (Sarsa) use row T of
/// the actions. T is t_max, or less where an episode's end ended the rollout. Not thread-safe;
/// separate rollouts are independent.
class Rollout {
 public:
  /// Reserves memory for t_max steps of `envs` environments. `state_size` is that of the acting
  /// network (Architecture::state_size()).
  Rollout(const EnvSpec& spec, int t_max, int envs, std::int64_t state_size = 0);

  /// The capacity in steps; the row for the bootstrap is not counted.
  [[nodiscard]] int t_max() const { return t_max_; }
  /// T: the steps of each environment.
  [[nodiscard]] int steps() const { return steps_; }

  /// Sets T, which is at most t_max.
  void set_steps(int steps) { steps_ = steps; }

  /// B: the environments.
  [[nodiscard]] int envs() const { return envs_; }
  /// T * B.
  [[nodiscard]] int samples() const { return steps_ * envs_; }

  /// Observations of row t in [0, T], or of `rows` rows from there: rows x envs x
  /// observation_bytes.
  std::span<std::byte> observations(int t, int rows = 1);

  /// Discrete actions of `rows` rows from t on: [rows, B].
  std::span<std::int32_t> actions(int t, int rows = 1) { return cut(actions_, t, rows); }
  /// The rewards of step t: [B], as the loss uses them.
  std::span<float> rewards(int t) { return cut(rewards_, t, 1); }
  /// The discounts of step t: [B], gamma or 0 where an episode ended.
  std::span<float> discounts(int t) { return cut(discounts_, t, 1); }

  /// The values of the states. The last row is always filled. The algorithm's needs decide which
  /// other rows are filled, and by which network.
  std::span<float> values(int t, int rows = 1) { return cut(values_, t, rows); }

  /// The advantage of each of T * B samples, for algorithms that learn from them several times (see
  /// gae() in data/gae.h).
  std::span<float> advantages() { return std::span(advantages_).first(sample_count()); }
  /// The return of each of T * B samples, for the same algorithms.
  std::span<float> returns() { return std::span(returns_).first(sample_count()); }
  /// Read-only: [T * B].
  std::span<const float> advantages() const { return rows(advantages_, steps_); }
  /// Read-only: [T * B].
  std::span<const float> returns() const { return rows(returns_, steps_); }

  /// The probability of a random action, epsilon, in step t: [B].
  std::span<float> epsilons(int t) { return cut(epsilons_, t, 1); }
  /// Read-only, of all samples: [T * B].
  std::span<const float> epsilons() const { return rows(epsilons_, steps_); }

  /// The numbers of one recurrent state; 0: the acting network has none.
  [[nodiscard]] std::int64_t state_size() const { return static_cast<std::int64_t>(state_size_); }

  /// The states of a recurrent network before the observations of `rows` rows from t on, as the
  /// acting parameters computed them: [rows, B, state]. Empty without a state.
  std::span<float> states(int t, int rows = 1) {
    const auto width = static_cast<std::size_t>(envs_) * state_size_;
    return std::span(states_).subspan(static_cast<std::size_t>(t) * width,
                                      static_cast<std::size_t>(rows) * width);
  }

  /// Nonzero where an episode begins with the observation, whose state before then counts as 0:
  /// [rows, B]. Empty without a state.
  std::span<std::uint8_t> episode_starts(int t, int rows = 1) {
    return state_size_ > 0 ? cut(episode_starts_, t, rows) : std::span<std::uint8_t>();
  }

  /// Continuous actions of row t, before clipping to the bounds: [B, dimensions].
  std::span<float> controls(int t) {
    const auto width = static_cast<std::size_t>(envs_) * dims_;
    return std::span(controls_).subspan(static_cast<std::size_t>(t) * width, width);
  }
  /// Continuous actions of all samples, read-only: [T * B, dimensions].
  std::span<const float> controls() const {
    return std::span(controls_).first(static_cast<std::size_t>(steps_) * envs_ * dims_);
  }

  /// The actions of row t, discrete or continuous.
  Actions taken(int t) { return {actions(t), controls(t), cut(log_probabilities_, t, 1)}; }

  /// Discrete actions of all samples, read-only: [T * B].
  std::span<const std::int32_t> actions() const { return rows(actions_, steps_); }
  /// log pi(a) of all samples under the policy that acted, for algorithms that need it: [T * B].
  std::span<const float> log_probabilities() const { return rows(log_probabilities_, steps_); }
  /// Rewards of all samples, read-only: [T * B].
  std::span<const float> rewards() const { return rows(rewards_, steps_); }
  /// Discounts of all samples, read-only: [T * B].
  std::span<const float> discounts() const { return rows(discounts_, steps_); }
  /// Values of all states, the last included: [(T + 1) * B].
  std::span<const float> values() const { return rows(values_, steps_ + 1); }

  /// Copies the last observations and actions to the first row, for the next rollout of t_max
  /// steps.
  void carry_over();

  /// Copies the last row of observations and actions of `other`, which must have the same shape, to
  /// row t_max of this rollout, so that carry_over() continues from there.
  void follow(Rollout& other);

  /// Copies environments [first, first + count) of another rollout with the same number of steps to
  /// environments [to, to + count) of this one, without advantages and returns. Several threads may
  /// call it at once for different environments.
  void copy_envs(const Rollout& from, int first, int count, int to);

  /// Copies one sample of another rollout, with its advantage and its return, to environment `to`
  /// in row 0 of this one. The sample of environment e at step t has the index t * B + e. This
  /// makes one-step rollouts of samples in any order.
  void copy_sample(const Rollout& from, std::int64_t sample, int to);

  /// Copies environment `from_env` of another rollout with the same number of steps, with its
  /// advantages and returns, to environment `to` of this one.
  void copy_sequence(const Rollout& from, int from_env, int to);

  /// Saves everything but advantages and returns.
  void save(StateWriter& writer) const;

  /// Restores a saved rollout. Throws Error when it has another shape. Older versions saved one
  /// epsilon for all steps of an environment.
  void load(StateReader& reader);

 private:
  template <class T>
  std::span<T> cut(std::vector<T>& all, int t, int rows) {
    return std::span(all).subspan(static_cast<std::size_t>(t) * envs_,
                                  static_cast<std::size_t>(rows) * envs_);
  }
  template <class T>
  std::span<const T> rows(const std::vector<T>& all, int count) const {
    return std::span(all).first(static_cast<std::size_t>(count) * envs_);
  }

  template <class T>
  void copy_columns(const std::vector<T>& source, const Rollout& from, int first, int count,
                    std::vector<T>& own, int to, std::size_t width) const;

  void load_epsilons(StateReader& reader);

  [[nodiscard]] std::size_t sample_count() const {
    return static_cast<std::size_t>(steps_) * envs_;
  }

  int t_max_;
  int steps_;
  int envs_;
  std::size_t observation_bytes_;
  std::size_t dims_;  // of continuous actions; 0: discrete
  std::size_t state_size_;
  std::vector<std::byte> observations_;
  std::vector<std::int32_t> actions_;
  std::vector<float> controls_;
  std::vector<float> log_probabilities_;
  std::vector<float> rewards_;
  std::vector<float> discounts_;
  std::vector<float> values_;
  std::vector<float> epsilons_;
  std::vector<float> states_;
  std::vector<std::uint8_t> episode_starts_;  // empty without a state
  std::vector<float> advantages_;  // used only during an update, like the returns; neither is saved
  std::vector<float> returns_;
};

/// n-step returns R_t = r_t + discount_t * R_{t+1} with R_T = V(s_T): lines 12 to 15 of PAAC's
/// Algorithm 1. returns: [T * B], time-major.
void n_step_returns(const Rollout& rollout, std::span<float> returns);

/// One-step targets r_t + discount_t * V(s_{t+1}): A3C's Algorithm 1, with V from Rollout::values.
/// returns: [T * B], time-major.
void one_step_returns(const Rollout& rollout, std::span<float> returns);

}  // namespace tandem
