// A program with its own algorithm, as docs/add_an_algorithm.md explains it. PAAC trains it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include "tandem/algo/actor_critic_rule.h"
#include "tandem/base/error.h"
#include "tandem/trainer/agent.h"
#include "tandem/trainer/training.h"

namespace {

/// The hyperparameters of the algorithm, which become the keys huber.gamma and so on.
struct HuberConfig {
  double gamma = 0.99;
  double entropy = 0.001;
  double limit = 1;

  tandem::FieldList fields() {
    return {
        {.key = "gamma",
         .target = &gamma,
         .meaning = "discount of one step",
         .least = 0,
         .most = 1},
        {.key = "entropy", .target = &entropy, .meaning = "factor of the entropy", .least = 0},
        {.key = "limit",
         .target = &limit,
         .meaning = "size of the largest error of a value that "
                    "counts as a square",
         .least = 0},
    };
  }
};

/// Advantage actor-critic whose values learn from a Huber loss: the gradient of an error beyond the
/// limit is constant, so that a few surprising returns do not move all values.
class HuberLoss final : public tandem::RolloutLoss {
 public:
  explicit HuberLoss(const HuberConfig& config) : config_(config) {}

  tandem::LossStats loss(const tandem::Heads& heads, const tandem::Rollout& rollout, double weight,
                         const tandem::Heads& gradient) const override {
    const auto actions = static_cast<std::size_t>(heads.actions);
    const auto scale = static_cast<float>(weight);
    const auto limit = static_cast<float>(config_.limit);
    std::vector<float> returns(rollout.rewards().size());
    tandem::n_step_returns(rollout, returns);
    tandem::LossStats stats;
    for (std::size_t i = 0; i < returns.size(); ++i) {
      const float error = returns[i] - heads.value[i];
      const auto terms = tandem::DiscreteActions::differentiate(
          heads.logits.subspan(i * actions, actions), rollout, i,
          {.advantage = error, .entropy = static_cast<float>(config_.entropy), .scale = scale},
          gradient.logits.subspan(i * actions, actions));
      gradient.value[i] = -scale * std::clamp(error, -limit, limit);

      stats.policy_loss -= error * terms.log_probability;
      stats.value_loss += error * error;
      stats.entropy += terms.entropy;
    }
    stats.samples = static_cast<double>(returns.size());
    return stats;
  }

 private:
  HuberConfig config_;
};

tandem::Algorithm make_huber(const HuberConfig& config, const tandem::AlgorithmTask&) {
  const tandem::ActorCriticOptions acting = {.gamma = config.gamma, .reward_clip = 0};
  using Rule = tandem::ActorCriticRule<tandem::DiscreteActions>;
  return {.acting = std::make_shared<const Rule>(acting),
          .learning = std::make_shared<const HuberLoss>(config)};
}

void train_and_evaluate(const std::filesystem::path& run) {
  auto catalogue = std::make_shared<tandem::Catalogue>(*tandem::published());
  catalogue->algorithms.push_back(std::make_shared<tandem::AlgorithmEntryOf<HuberConfig>>(
      tandem::AlgorithmInfo{.name = "huber",
                            .idea = "actor-critic whose values learn from a Huber loss",
                            .table = "huber"},
      make_huber));
  const auto config = tandem::make_config(
      "paac",
      {"algo=huber", "huber.limit=20", "env.id=cartpole", "net.arch=mlp", "net.init=torch",
       "run.steps=100000", "paac.envs=16", "optimizer.lr=0.003", "optimizer.anneal_steps=100000",
       "optimizer.epsilon=1e-5", "optimizer.epsilon_inside=true", "optimizer.initial_square=0"},
      catalogue);
  tandem::Training(config, run, false).run({.progress = nullptr});

  auto agent = tandem::Agent::load(run, {}, catalogue);
  const auto evaluation = agent.evaluate({.episodes = 20});
  std::printf("mean return of 20 episodes: %.1f of 500\n", evaluation.mean);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr,
                 "usage: own_algorithm FOLDER  (of the run, which must not be there yet)\n");
    return 2;
  }
  try {
    train_and_evaluate(argv[1]);
    return 0;
  } catch (const tandem::Error& error) {
    std::fprintf(stderr, "own_algorithm: %s\n", error.what());
    return 2;
  }
}
