#include <vector>

#include "tandem/learn/shared_model.h"
#include "tandem/policy/env_actions.h"
#include "tandem/policy/network_copy.h"
#include "tandem/systems/apex_policy.h"

namespace tandem {
namespace {

/// Algorithm 1, line 5, as appendix D has it: what the policy does, and noise.
class DpgPolicy : public ApexPolicy {
 public:
  DpgPolicy(const Parts& parts, const SharedModel& model, const EnvSpec& spec, int first_env,
            int envs)
      : algorithm_(parts.algorithm),
        copy_(model, parts.make_network),
        env_actions_(spec, envs),
        dims_(static_cast<std::size_t>(spec.action_dims())),
        value_(static_cast<std::size_t>(envs)),
        policy_(value_.size() * dims_),
        noisy_(policy_.size()),
        action_value_(value_.size()),
        unused_(value_.size()),
        judgements_(value_.size()) {
    for (int i = 0; i < envs; ++i) sigmas_.push_back(algorithm_.epsilon(first_env + i, 0));
  }

  void synchronise() override { copy_.synchronise(); }

  Decisions act(std::span<const std::byte> observations,
                std::span<Stream* const> streams) override {
    const Heads outputs = heads(value_.size());
    const Actions actions{.discrete = unused_, .continuous = noisy_};
    copy_.network().forward({observations}, outputs);
    algorithm_.act(outputs, streams, sigmas_, actions);
    copy_.network().judge_actions(observations, noisy_, action_value_);
    for (std::size_t i = 0; i < judgements_.size(); ++i) {
      judgements_[i] = {.action_value = action_value_[i], .state_value = value_[i]};
    }
    return {env_actions_.of(actions), judgements_};
  }

  float value(std::span<const std::byte> observation) override {
    const Heads outputs = heads(1);
    copy_.network().forward({observation}, outputs);
    return outputs.value[0];
  }

 private:
  Heads heads(std::size_t batch) {
    return {static_cast<std::int64_t>(batch), static_cast<std::int64_t>(dims_),
            std::span(policy_).first(batch * dims_), std::span(value_).first(batch)};
  }

  const Algorithm& algorithm_;
  NetworkCopy copy_;
  EnvActions env_actions_;
  std::size_t dims_;
  std::vector<float> value_;   // [envs]: q(s, pi(s))
  std::vector<float> policy_;  // [envs, dims]
  std::vector<float> noisy_;   // [envs, dims]
  std::vector<float> action_value_;
  std::vector<float> sigmas_;         // [envs]
  std::vector<std::int32_t> unused_;  // [envs]
  std::vector<Judgement> judgements_;
};

}  // namespace

std::unique_ptr<ApexPolicy> make_dpg_policy(const Parts& parts, const SharedModel& model,
                                            const EnvSpec& spec, int first_env, int envs) {
  return std::make_unique<DpgPolicy>(parts, model, spec, first_env, envs);
}

}  // namespace tandem
