// An actor of Ape-X.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tandem/base/clock.h"
#include "tandem/env/vec_env.h"
#include "tandem/replay/n_step_builder.h"
#include "tandem/systems/apex/apex_policy.h"
#include "tandem/systems/common/actor_context.h"

namespace tandem {

/// Which environments an actor plays, and how it makes transitions of that. Value type.
struct ApexActorOptions {
  int first_env = 0;  // global index
  int envs = 1;
  std::uint64_t seed = 1;
  std::int64_t refresh_steps = 100;  // between two looks at the parameters
  FrameFormat format = {};
  NStepOptions transitions = {};
};

/// Algorithm 1: plays by a copy of the parameters, which it renews now and then, and makes n-step
/// transitions with first priorities from what its policy said as it acted. Not thread-safe; one
/// for each thread.
class ApexActor {
 public:
  /// Takes the parameters of `model` as they are now. The rule of `context`
  /// and `model` must outlive the actor.
  ApexActor(const ApexActorOptions& options, const ActorContext& context, const SharedModel& model);

  /// Starts every environment. Call it, or load(), once before the first step().
  void start();

  /// One step of every environment. Segments that it filled go to the end of `full`.
  void step(std::vector<std::unique_ptr<Segment>>& full);

  [[nodiscard]] int envs() const { return env_.size(); }

  /// Games finished, and thread-seconds spent, since the last call of each.
  std::vector<Episode> take_episodes() { return env_.take_episodes(); }
  TimeShares take_seconds() { return std::exchange(seconds_, {}); }

  /// Environments, unfinished transitions and the numbers of episodes, between two steps.
  void save(StateWriter& writer) const;

  /// A state may be of an older version, which had no numbers of episodes: then they count from 0.
  void load(StateReader& reader);

 private:
  void begin_episode(int id, std::int64_t episode);
  void add_result(int id);
  [[nodiscard]] std::span<const std::byte> newest_frame(
      std::span<const std::byte> observation) const;
  [[nodiscard]] std::span<const std::byte> observation(int id) const;

  const ApexActorOptions options_;
  const ActingRule& rule_;
  VecEnv env_;
  ApexPolicy policy_;
  std::vector<NStepBuilder> builders_;   // of each environment
  std::vector<std::byte> observations_;  // [envs, observation]
  std::vector<Stream*> streams_;         // [envs]
  std::vector<std::int64_t> episodes_;   // [envs]: begun before the one that goes on
  std::vector<float> epsilons_;          // [envs]: of that episode
  std::int64_t steps_ = 0;               // of each environment since the parameters were renewed
  TimeShares seconds_;
};

}  // namespace tandem
