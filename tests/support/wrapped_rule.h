// Acting rules that forward to another one, except in one respect that a test observes.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "tandem/algo/acting_rule.h"

namespace tandem {

/// Forwards to another rule.
class WrappedRule : public ActingRule {
 public:
  explicit WrappedRule(std::shared_ptr<const ActingRule> inner) : inner_(std::move(inner)) {}

  void act(const Heads& heads, std::span<Stream* const> streams, std::span<const float> epsilons,
           const Actions& actions) const override {
    inner_->act(heads, streams, epsilons, actions);
  }
  void judge(const EvaluatedStates& states, const Actions& chosen,
             const Judgements& judgements) const override {
    inner_->judge(states, chosen, judgements);
  }
  [[nodiscard]] float epsilon(int env, std::int64_t episode, std::int64_t steps) const override {
    return inner_->epsilon(env, episode, steps);
  }
  void values(const Heads& heads, std::span<const std::int32_t> actions,
              std::span<float> values) const override {
    inner_->values(heads, actions, values);
  }
  [[nodiscard]] float reward(float raw) const override { return inner_->reward(raw); }
  [[nodiscard]] double gamma() const override { return inner_->gamma(); }

 private:
  const std::shared_ptr<const ActingRule> inner_;
};

/// The number of the episode is its epsilon. Keeps the epsilons of its last act(). Not thread-safe.
class EpisodeRule final : public WrappedRule {
 public:
  using WrappedRule::WrappedRule;

  void act(const Heads& heads, std::span<Stream* const> streams, std::span<const float> epsilons,
           const Actions& actions) const override {
    last_.assign(epsilons.begin(), epsilons.end());
    WrappedRule::act(heads, streams, epsilons, actions);
  }
  [[nodiscard]] float epsilon(int /*env*/, std::int64_t episode,
                              std::int64_t /*steps*/) const override {
    return static_cast<float>(episode);
  }

  [[nodiscard]] std::vector<float> last() const { return last_; }

 private:
  mutable std::vector<float> last_;
};

}  // namespace tandem
