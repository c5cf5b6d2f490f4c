// The policy by which an actor of Ape-X acts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/acting/env_actions.h"
#include "tandem/acting/network_copy.h"
#include "tandem/algo/acting_rule.h"
#include "tandem/base/random.h"
#include "tandem/env/env.h"
#include "tandem/nn/batch.h"
#include "tandem/replay/n_step_builder.h"

namespace tandem {

/// Actions for the states of several environments, and judgements of both. The views are valid
/// until the next call.
struct Decisions {
  std::span<const Action> actions;
  std::span<const Judgement> judgements;
};

/// Acts with a copy of the parameters. Judges states by the heads that chose the actions, so that
/// first priorities come at "no extra cost" (Ape-X, section 3). Not thread-safe; one for each
/// actor.
class ApexPolicy {
 public:
  /// For `envs` environments of this spec. Acts with `copy`; `rule` must outlive it.
  ApexPolicy(const ActingRule& rule, NetworkCopy copy, const EnvSpec& spec, int envs);

  /// Copies the newest parameters.
  void synchronise() { copy_.synchronise(); }

  /// Chooses the actions (Algorithm 1, line 5) and judges them. observations: [envs, observation].
  /// Environment i draws from *streams[i] and explores by epsilons[i].
  Decisions act(std::span<const std::byte> observations, std::span<Stream* const> streams,
                std::span<const float> epsilons);

  /// The value of one state in which the actor takes no further action.
  float value(std::span<const std::byte> observation);

 private:
  Heads evaluate(std::span<const std::byte> observations, std::int64_t batch);

  const ActingRule& rule_;
  NetworkCopy copy_;
  EnvActions env_actions_;
  HeadsBuffer heads_;
  std::vector<std::int32_t> discrete_;               // [envs]
  std::vector<float> continuous_;                    // [envs, dims]
  std::vector<float> action_values_, state_values_;  // [envs]
  std::vector<Judgement> judgements_;                // [envs]
};

}  // namespace tandem
