#include <iterator>
#include <vector>

#include "tandem/acting/env_actions.h"
#include "tandem/acting/network_copy.h"
#include "tandem/learn/shared_model.h"
#include "tandem/nn/batch.h"
#include "tandem/systems/apex/apex_policy.h"

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
        noisy_(static_cast<std::size_t>(envs * spec.action_dims())),
        action_value_(static_cast<std::size_t>(envs)),
        unused_(action_value_.size()),
        judgements_(action_value_.size()) {
    for (int i = 0; i < envs; ++i) sigmas_.push_back(algorithm_.epsilon(first_env + i, 0));
  }

  void synchronise() override { copy_.synchronise(); }

  Decisions act(std::span<const std::byte> observations,
                std::span<Stream* const> streams) override {
    const Heads outputs = heads_.of(copy_.network().architecture(), std::ssize(judgements_));
    const Actions actions{.discrete = unused_, .continuous = noisy_};
    copy_.network().forward({observations}, outputs);
    algorithm_.act(outputs, streams, sigmas_, actions);
    copy_.network().judge_actions(observations, noisy_, action_value_);
    for (std::size_t i = 0; i < judgements_.size(); ++i) {
      judgements_[i] = {.action_value = action_value_[i], .state_value = outputs.value[i]};
    }
    return {env_actions_.of(actions), judgements_};
  }

  float value(std::span<const std::byte> observation) override {
    const Heads outputs = heads_.of(copy_.network().architecture(), 1);
    copy_.network().forward({observation}, outputs);
    return outputs.value[0];
  }

 private:
  const Algorithm& algorithm_;
  NetworkCopy copy_;
  EnvActions env_actions_;
  HeadsBuffer heads_;                 // pi(s) and q(s, pi(s))
  std::vector<float> noisy_;          // [envs, dims]
  std::vector<float> action_value_;   // [envs]
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
