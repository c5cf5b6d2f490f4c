// An actor of Ape-X.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tandem/acting/reward_scale.h"
#include "tandem/base/clock.h"
#include "tandem/env/vec_env.h"
#include "tandem/replay/n_step_builder.h"
#include "tandem/systems/apex/apex_policy.h"
#include "tandem/systems/common/actor_context.h"

namespace tandem {

/// The environments that an actor plays, and how it makes transitions of their steps. Value type.
struct ApexActorOptions {
  int first_env = 0;  // global index
  int envs = 1;
  std::uint64_t seed = 1;
  std::int64_t refresh_steps = 100;  // steps between two copies of the parameters
  FrameFormat format = {};
  NStepOptions transitions = {};
};

/// Algorithm 1: plays with a copy of the parameters, which it renews at intervals, and makes n-step
/// transitions. Their first priorities follow from the heads that chose the actions. Not
/// thread-safe; one for each thread.
class ApexActor {
 public:
  /// Acts with `copy`, which it renews. Its source and the rule of `context` must outlive the
  /// actor.
  ApexActor(const ApexActorOptions& options, const ActorContext& context, NetworkCopy copy);

  /// Starts every environment. Call it, or load(), once before the first step().
  void start();

  /// Takes one step in every environment, and appends the segments that became full to `full`.
  void step(std::vector<std::unique_ptr<Segment>>& full);

  /// How many agents act: those of all environments.
  [[nodiscard]] int size() const { return env_.size(); }

  /// The games that ended, and the thread-seconds spent, since the last call of the same function.
  std::vector<Episode> take_episodes() { return env_.take_episodes(); }
  TimeShares take_seconds() { return std::exchange(seconds_, {}); }

  /// Gives away the scale of rewards, for an actor in this one's place; empty: rewards are raw.
  std::optional<RewardScale> take_reward_scale() { return std::exchange(reward_scale_, {}); }

  /// Goes on with the scale of an actor before this one. Call it before the first step().
  void keep_reward_scale(RewardScale scale);

  /// Saves the environments, the unfinished transitions, the counts of episodes and the scale of
  /// rewards. Call it between two steps.
  void save(StateWriter& writer) const;

  /// A state of an older version has no counts of episodes; they then start from 0.
  void load(StateReader& reader);

 private:
  void begin_episode(int row, std::int64_t episode);
  void begin_transitions();
  void add_result(int row);
  [[nodiscard]] std::span<const std::byte> newest_frame(
      std::span<const std::byte> observation) const;
  [[nodiscard]] std::span<const std::byte> observation(int row) const;

  const ApexActorOptions options_;
  const ActingRule& rule_;
  VecEnv env_;
  ApexPolicy policy_;
  std::vector<NStepBuilder> builders_;   // by row, as the other vectors: an agent's
  std::vector<std::byte> observations_;  // [rows, observation]
  std::vector<Stream*> streams_;
  std::vector<std::int64_t> episodes_;       // episodes begun before the present one
  std::vector<float> epsilons_;              // of that episode
  std::optional<RewardScale> reward_scale_;  // empty: rewards are raw
  std::int64_t steps_ = 0;                   // of each environment since the last copy of the
                                             // parameters
  TimeShares seconds_;
};

}  // namespace tandem
