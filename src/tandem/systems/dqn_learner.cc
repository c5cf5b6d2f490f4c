#include <optional>
#include <span>
#include <vector>

#include "tandem/learn/shared_model.h"
#include "tandem/learn/target.h"
#include "tandem/policy/network_copy.h"
#include "tandem/sync/workers.h"
#include "tandem/systems/apex.h"

namespace tandem {
namespace {

constexpr auto kPart = "dqn";  // of the checkpoint's meta

std::int64_t updates_before(const Parts& parts) {
  return parts.resume == nullptr ? 0 : parts.resume->part(kPart).at("updates").get<std::int64_t>();
}

/// Room for the heads of some samples.
struct Outputs {
  std::vector<float> logits;
  std::vector<float> value;

  Heads heads(const Architecture& architecture, std::int64_t batch) {
    logits.resize(static_cast<std::size_t>(batch * architecture.policy_outputs));
    value.resize(architecture.value_head ? static_cast<std::size_t>(batch) : 0);
    return {batch, architecture.policy_outputs, logits, value};
  }
};

/// The networks of one thread.
class Differentiator {
 public:
  /// `theta` are the model's own parameters, which nobody moves while this reads them.
  Differentiator(const Parts& parts, std::span<const float> theta, const TargetParameters& target)
      : network_(parts.make_network(theta)), target_(target, parts.make_network) {}

  /// The gradient of the mean over the batch as far as samples [first, last) make it, and their new
  /// priorities.
  LossStats differentiate(const DqnConfig& config, SampleBatch& batch, std::size_t first,
                          std::size_t last, std::span<float> gradient) {
    network_->reload();
    target_.synchronise();
    const auto of = [&](auto& all) { return std::span(all).subspan(first, last - first); };
    const auto bytes = batch.observations.size() / batch.size;
    const auto seen = [&](const std::vector<std::byte>& all) {
      return std::span(all).subspan(first * bytes, (last - first) * bytes);
    };
    const auto samples = static_cast<std::int64_t>(last - first);
    const auto& architecture = network_->architecture();
    const NextStates next{.online = next_online_.heads(architecture, samples),
                          .target = next_target_.heads(architecture, samples)};
    if (config.double_q) network_->forward({seen(batch.next_observations)}, next.online);
    target_.network().forward({seen(batch.next_observations)}, next.target);
    network_->record({seen(batch.observations)}, now_.heads(architecture, samples));
    LossStats stats;
    network_->backward(
        [&](const Heads& heads, const Heads& out) {
          stats = dqn_loss(
              config, heads, next,
              {of(batch.actions), of(batch.n_step_returns), of(batch.discounts), of(batch.weights)},
              1.0 / static_cast<double>(batch.size), out, of(batch.priorities));
        },
        gradient);
    return stats;
  }

 private:
  std::unique_ptr<Network> network_;
  NetworkCopy target_;
  Outputs now_, next_online_, next_target_;
};

/// Section 3.1, equation 1. Threads share each batch.
class DqnLearner : public ReplayLearner {
 public:
  DqnLearner(const DqnConfig& config, const Parts& parts, SharedModel& model)
      : config_(config),
        model_(model),
        updates_(updates_before(parts)),
        target_(parts.learner.parameters(), config.target_updates, updates_),
        workers_(parts.threads),
        stats_(static_cast<std::size_t>(parts.threads)),
        gradients_(stats_.size(), std::vector<float>(model.size())) {
    if (parts.resume != nullptr) load_target(*parts.resume, target_);
    for (int i = 0; i < parts.threads; ++i) {
      threads_.emplace_back(parts, parts.learner.parameters(), target_);
    }
  }

  UpdateReport update(SampleBatch& batch, std::int64_t steps) override {
    const Stopwatch watch;
    workers_.parallel_for(workers_.threads(), [&](int thread) {
      const auto i = static_cast<std::size_t>(thread);
      const auto first = i * batch.size / threads_.size();
      const auto last = (i + 1) * batch.size / threads_.size();
      if (first == last) return;
      stats_[i] = threads_[i].differentiate(config_, batch, first, last, gradients_[i]);
    });
    const UpdateInfo update = model_.apply(gradients_, steps);
    updates_ += 1;
    target_.refresh(updates_, [&](std::span<float> theta) {
      std::optional<std::int64_t> version;
      model_.copy_if_newer(version, theta);
    });
    UpdateReport report{.gradient_norm = update.gradient_norm,
                        .learning_rate = update.learning_rate};
    for (const auto& stats : stats_) report.loss += stats;
    report.seconds.learning = watch.seconds();
    return report;
  }

  [[nodiscard]] std::int64_t updates() const override { return updates_; }

  void save(Checkpoint& checkpoint) override {
    save_target(target_, checkpoint);
    checkpoint.meta[kPart]["updates"] = updates_;
  }

 private:
  const DqnConfig config_;
  SharedModel& model_;
  std::int64_t updates_ = 0;
  TargetParameters target_;
  Workers workers_;
  std::vector<Differentiator> threads_;
  std::vector<LossStats> stats_;               // of each thread
  std::vector<std::vector<float>> gradients_;  // the same; of one without samples all 0
};

}  // namespace

ApexRules dqn_rules(const DqnConfig& config) {
  return {.make_policy = make_dqn_policy,
          .make_learner = [config](const Parts& parts, SharedModel& model) {
            return std::make_unique<DqnLearner>(config, parts, model);
          }};
}

}  // namespace tandem
