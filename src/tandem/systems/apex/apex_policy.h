// How an actor of Ape-X acts.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "tandem/base/random.h"
#include "tandem/env/env.h"
#include "tandem/replay/n_step_builder.h"
#include "tandem/systems/common/parts.h"

namespace tandem {

class SharedModel;

/// What is done in the states of some environments, and what they are worth; views that hold until
/// the next call.
struct Decisions {
  std::span<const Action> actions;
  std::span<const Judgement> judgements;
};

/// Acts by a copy of the parameters, and judges states with what it computed as it acted, for first
/// priorities at "no extra cost" (Ape-X, section 3). Not thread-safe; one for each actor.
class ApexPolicy {
 public:
  virtual ~ApexPolicy() = default;

  /// Takes the newest parameters.
  virtual void synchronise() = 0;

  /// observations: [envs, observation]. Environment i draws from *streams[i].
  virtual Decisions act(std::span<const std::byte> observations,
                        std::span<Stream* const> streams) = 0;

  /// What one state is worth, in which nothing is done any more.
  virtual float value(std::span<const std::byte> observation) = 0;
};

/// Epsilon-greedy in Q, each of `envs` environments, numbered from `first_env` on, with an epsilon
/// of its own. Takes the parameters of `model` as they are now; it and `parts` must outlive it.
std::unique_ptr<ApexPolicy> make_dqn_policy(const Parts& parts, const SharedModel& model,
                                            const EnvSpec& spec, int first_env, int envs);

/// A deterministic policy with normal noise on each dimension; otherwise as make_dqn_policy.
std::unique_ptr<ApexPolicy> make_dpg_policy(const Parts& parts, const SharedModel& model,
                                            const EnvSpec& spec, int first_env, int envs);

}  // namespace tandem
