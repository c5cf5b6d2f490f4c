#include <optional>
#include <span>
#include <vector>

#include "tandem/learn/shared_model.h"
#include "tandem/learn/target.h"
#include "tandem/policy/network_copy.h"
#include "tandem/systems/apex.h"

namespace tandem {
namespace {

constexpr auto kPart = "dqn";  // of the checkpoint's meta

std::int64_t updates_before(const Parts& parts) {
  return parts.resume == nullptr ? 0 : parts.resume->part(kPart).at("updates").get<std::int64_t>();
}

/// Room for the heads of a batch.
struct Outputs {
  std::vector<float> logits;
  std::vector<float> value;

  Heads heads(const Architecture& architecture, std::int64_t batch) {
    logits.resize(static_cast<std::size_t>(batch * architecture.policy_outputs));
    value.resize(architecture.value_head ? static_cast<std::size_t>(batch) : 0);
    return {batch, architecture.policy_outputs, logits, value};
  }
};

/// Section 3.1, equation 1.
class DqnLearner : public ReplayLearner {
 public:
  DqnLearner(const DqnConfig& config, const Parts& parts, SharedModel& model)
      : config_(config),
        model_(model),
        network_(parts.make_network(parts.learner.parameters())),
        updates_(updates_before(parts)),
        target_parameters_(parts.learner.parameters(), config.target_updates, updates_),
        gradient_(model.size()) {
    if (parts.resume != nullptr) load_target(*parts.resume, target_parameters_);
    target_.emplace(target_parameters_, parts.make_network);
  }

  UpdateReport update(SampleBatch& batch, std::int64_t steps) override {
    const Stopwatch watch;
    const LossStats stats = differentiate(batch);
    const UpdateInfo update = model_.apply(gradient_, steps);
    network_->reload();
    updates_ += 1;
    refresh_target();
    UpdateReport report{.loss = stats,
                        .gradient_norm = update.gradient_norm,
                        .learning_rate = update.learning_rate};
    report.seconds.learning = watch.seconds();
    return report;
  }

  [[nodiscard]] std::int64_t updates() const override { return updates_; }

  void save(Checkpoint& checkpoint) override {
    save_target(target_parameters_, checkpoint);
    checkpoint.meta[kPart]["updates"] = updates_;
  }

 private:
  LossStats differentiate(SampleBatch& batch) {
    const auto samples = static_cast<std::int64_t>(batch.size);
    const auto& architecture = network_->architecture();
    const NextStates next{.online = next_online_.heads(architecture, samples),
                          .target = next_target_.heads(architecture, samples)};
    if (config_.double_q) network_->forward({batch.next_observations}, next.online);
    target_->network().forward({batch.next_observations}, next.target);
    network_->record({batch.observations}, now_.heads(architecture, samples));
    LossStats stats;
    network_->backward(
        [&](const Heads& heads, const Heads& gradient) {
          stats = dqn_loss(config_, heads, next,
                           {batch.actions, batch.n_step_returns, batch.discounts, batch.weights},
                           1.0 / static_cast<double>(samples), gradient, batch.priorities);
        },
        gradient_);
    return stats;
  }

  void refresh_target() {
    target_parameters_.refresh(updates_, [&](std::span<float> theta) {
      std::optional<std::int64_t> version;
      model_.copy_if_newer(version, theta);
    });
    target_->synchronise();
  }

  const DqnConfig config_;
  SharedModel& model_;
  std::unique_ptr<Network> network_;  // over the model's own parameters: nobody else moves them
  std::int64_t updates_ = 0;
  TargetParameters target_parameters_;
  std::optional<NetworkCopy> target_;
  Outputs now_, next_online_, next_target_;
  std::vector<float> gradient_;
};

}  // namespace

ApexRules dqn_rules(const DqnConfig& config) {
  return {.make_policy = make_dqn_policy,
          .make_learner = [config](const Parts& parts, SharedModel& model) {
            return std::make_unique<DqnLearner>(config, parts, model);
          }};
}

}  // namespace tandem
