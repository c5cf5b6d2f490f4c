#include <algorithm>
#include <iterator>
#include <vector>

#include "tandem/acting/env_actions.h"
#include "tandem/acting/network_copy.h"
#include "tandem/algo/dqn.h"
#include "tandem/learn/shared_model.h"
#include "tandem/nn/batch.h"
#include "tandem/systems/apex/apex_policy.h"

namespace tandem {
namespace {

/// Algorithm 1, line 5.
class DqnPolicy : public ApexPolicy {
 public:
  DqnPolicy(const Parts& parts, const SharedModel& model, const EnvSpec& spec, int first_env,
            int envs)
      : algorithm_(parts.algorithm),
        copy_(model, parts.make_network),
        env_actions_(spec, envs),
        actions_(static_cast<std::size_t>(spec.num_actions)),
        chosen_(static_cast<std::size_t>(envs)),
        judgements_(chosen_.size()) {
    q_.resize(chosen_.size() * actions_);
    for (int i = 0; i < envs; ++i) epsilons_.push_back(algorithm_.epsilon(first_env + i, 0));
  }

  void synchronise() override { copy_.synchronise(); }

  Decisions act(std::span<const std::byte> observations,
                std::span<Stream* const> streams) override {
    const Heads outputs = heads_.of(copy_.network().architecture(), std::ssize(chosen_));
    copy_.network().forward({observations}, outputs);
    algorithm_.act(outputs, streams, epsilons_, {chosen_});
    action_values(outputs, q_);
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      const auto q = std::span(q_).subspan(i * actions_, actions_);
      judgements_[i] = {.action_value = q[static_cast<std::size_t>(chosen_[i])],
                        .state_value = std::ranges::max(q)};
    }
    return {env_actions_.of({chosen_}), judgements_};
  }

  float value(std::span<const std::byte> observation) override {
    const Heads outputs = heads_.of(copy_.network().architecture(), 1);
    copy_.network().forward({observation}, outputs);
    float value = 0;
    algorithm_.values(outputs, {}, std::span(&value, 1));
    return value;
  }

 private:
  const Algorithm& algorithm_;
  NetworkCopy copy_;
  EnvActions env_actions_;
  std::size_t actions_;
  HeadsBuffer heads_;
  std::vector<float> q_;              // [envs, actions]
  std::vector<std::int32_t> chosen_;  // [envs]
  std::vector<float> epsilons_;       // [envs]
  std::vector<Judgement> judgements_;
};

}  // namespace

std::unique_ptr<ApexPolicy> make_dqn_policy(const Parts& parts, const SharedModel& model,
                                            const EnvSpec& spec, int first_env, int envs) {
  return std::make_unique<DqnPolicy>(parts, model, spec, first_env, envs);
}

}  // namespace tandem
