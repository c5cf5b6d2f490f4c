// An actor of Ape-X.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tandem/base/clock.h"
#include "tandem/env/vec_env.h"
#include "tandem/learn/shared_model.h"
#include "tandem/policy/env_actions.h"
#include "tandem/policy/network_copy.h"
#include "tandem/replay/n_step_builder.h"
#include "tandem/systems/parts.h"

namespace tandem {

/// Which environments an actor plays, and how it makes transitions of that. Value type.
struct ApexActorOptions {
  int first_env = 0;  // global index
  int envs = 1;
  std::int64_t refresh_steps = 100;  // between two looks at the parameters
  FrameFormat format = {};
  NStepOptions transitions = {};
};

/// Algorithm 1: plays by a copy of the parameters, which it renews now and then, and makes n-step
/// transitions with first priorities from what its network said as it acted. Not thread-safe; one
/// for each thread.
class ApexActor {
 public:
  /// Takes the parameters of `model` as they are now; it and `parts` must outlive the actor.
  ApexActor(const ApexActorOptions& options, const Parts& parts, const SharedModel& model);

  /// Starts every environment. Call it, or load(), once before the first step().
  void start();

  /// One step of every environment. Segments that it filled go to the end of `full`.
  void step(std::vector<std::unique_ptr<Segment>>& full);

  [[nodiscard]] int envs() const { return env_.size(); }

  /// Games finished, and thread-seconds spent, since the last call of each.
  std::vector<Episode> take_episodes() { return env_.take_episodes(); }
  TimeShares take_seconds() { return std::exchange(seconds_, {}); }

  /// Environments and unfinished transitions, between two steps.
  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  void infer();
  void act(std::vector<std::unique_ptr<Segment>>& full);
  void add_result(int id);
  float final_value(int id);
  [[nodiscard]] std::span<const std::byte> newest_frame(
      std::span<const std::byte> observation) const;
  [[nodiscard]] std::span<std::byte> observation(int id);
  Heads heads(std::int64_t batch);

  const ApexActorOptions options_;
  const Algorithm& algorithm_;
  NetworkCopy copy_;
  VecEnv env_;
  EnvActions env_actions_;
  std::vector<NStepBuilder> builders_;   // of each environment
  std::vector<std::byte> observations_;  // [envs, observation]
  std::vector<float> logits_;            // [envs, actions]
  std::vector<float> value_;             // [envs], where there is such a head
  std::vector<float> q_;                 // [envs, actions]
  std::vector<std::int32_t> chosen_;     // [envs]
  std::vector<float> epsilons_;          // [envs]
  std::vector<Stream*> streams_;         // [envs]
  std::int64_t steps_ = 0;               // of each environment since the parameters were renewed
  TimeShares seconds_;
};

}  // namespace tandem
