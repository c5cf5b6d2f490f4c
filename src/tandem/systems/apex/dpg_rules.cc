#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tandem/algo/dpg_gradient.h"
#include "tandem/systems/apex/apex.h"

namespace tandem {
namespace {

/// The losses of section 3.2.
class ReplayedDpg : public ReplayLoss {
 public:
  ReplayedDpg(const DpgConfig& config, const Parts& parts, std::span<const float> theta,
              const TargetParameters& target)
      : shared_target_(target),
        target_(target.size()),
        gradient_of_(config, parts.learner.architecture(), theta, target_) {}

  LossStats differentiate(const Samples& samples, double weight,
                          std::span<float> gradient) override {
    shared_target_.copy_if_newer(version_, target_);
    return gradient_of_.differentiate(
        {.observations = samples.observations,
         .next_observations = samples.next_observations,
         .actions = samples.controls,
         .returns = {samples.n_step_returns, samples.discounts, samples.weights}},
        weight, gradient, samples.priorities);
  }

 private:
  const TargetParameters& shared_target_;
  std::optional<std::int64_t> version_;
  std::vector<float> target_;  // a copy of them, as gradient_of_ reads it
  DpgGradient gradient_of_;
};

}  // namespace

ApexRules dpg_rules(const DpgConfig& config) {
  return {.make_policy = make_dpg_policy,
          .make_loss =
              [config](const Parts& parts, std::span<const float> theta,
                       const TargetParameters& target) {
                return std::make_unique<ReplayedDpg>(config, parts, theta, target);
              },
          .target_updates = config.target_updates};
}

}  // namespace tandem
