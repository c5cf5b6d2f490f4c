#include "tandem/systems/step_costs.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "tandem/base/clock.h"
#include "tandem/base/median.h"
#include "tandem/data/rollout.h"

namespace tandem {
namespace {

constexpr int kTurns = 5;

/// Mean seconds of a call, over at least `seconds`.
template <class Body>
double mean_seconds(double seconds, Body body) {
  const Stopwatch watch;
  std::int64_t calls = 0;
  do {
    body();
    ++calls;
  } while (watch.seconds() < seconds);
  return watch.seconds() / static_cast<double>(calls);
}

/// One group of environments with all that training with it needs.
class Workbench {
 public:
  Workbench(Parts& parts, const Batching& batching);

  /// The steps of a rollout with random actions.
  void step();

  /// The actions of a rollout, and the value of its last state.
  void infer();

  /// An update, from the same rollout for each gradient.
  void train();

 private:
  Heads evaluate(int t);

  Parts& parts_;
  const Batching batching_;
  VecEnv env_;
  std::unique_ptr<Network> network_;
  Rollout rollout_;
  std::vector<Stream*> streams_;
  std::vector<Action> actions_;
  std::vector<float> logits_;
  std::vector<std::vector<float>> gradients_;
};

Workbench::Workbench(Parts& parts, const Batching& batching)
    : parts_(parts),
      batching_(batching),
      env_(parts.make_env, {.count = batching.envs, .seed = parts.seed}),
      network_(parts.make_network(parts.learner.parameters())),
      rollout_(env_.spec(), batching.steps, batching.envs),
      actions_(static_cast<std::size_t>(batching.envs)),
      logits_(actions_.size() * static_cast<std::size_t>(env_.spec().num_actions)),
      gradients_(static_cast<std::size_t>(batching.rollouts),
                 std::vector<float>(parts.learner.parameters().size())) {
  for (int id = 0; id < env_.size(); ++id) streams_.push_back(&env_.stream(id));
  env_.reset(rollout_.observations(0));
}

void Workbench::step() {
  const auto choices = static_cast<std::uint32_t>(env_.spec().num_actions);
  for (int t = 1; t <= batching_.steps; ++t) {
    for (std::size_t i = 0; i < actions_.size(); ++i) {
      actions_[i].discrete = static_cast<std::int32_t>(streams_[i]->below(choices));
    }
    env_.step(actions_, rollout_.observations(t));
  }
  env_.take_episodes();
}

void Workbench::infer() {
  for (int t = 0; t < batching_.steps; ++t) {
    parts_.algorithm.act(evaluate(t), streams_, rollout_.actions(t));
  }
  evaluate(batching_.steps);
}

void Workbench::train() {
  const int samples = batching_.envs * batching_.steps;
  const auto loss = [&](const Heads& heads, const Heads& gradient) {
    parts_.algorithm.loss(heads, rollout_, 1.0 / (samples * batching_.rollouts), gradient);
  };
  for (auto& gradient : gradients_) {
    network_->gradient(rollout_.batch_observations(), samples, loss, gradient);
  }
  parts_.learner.apply(gradients_, 0);
  network_->reload();
}

Heads Workbench::evaluate(int t) {
  const Heads heads{batching_.envs, env_.spec().num_actions, logits_, rollout_.values(t)};
  network_->forward(rollout_.observations(t), heads);
  return heads;
}

}  // namespace

StepCosts measure_step_costs(Parts& parts, const Batching& batching, double seconds) {
  Workbench bench(parts, batching);
  const auto warm_up = [&] {
    bench.step();
    bench.infer();
    bench.train();
  };
  mean_seconds(seconds / 10, warm_up);

  const double turn = 0.9 * seconds / kTurns / 3;
  std::vector<double> env, inference, training;
  for (int i = 0; i < kTurns; ++i) {
    env.push_back(mean_seconds(turn, [&] { bench.step(); }));
    inference.push_back(mean_seconds(turn, [&] { bench.infer(); }));
    training.push_back(mean_seconds(turn, [&] { bench.train(); }));
  }
  const double steps = batching.envs * batching.steps;
  return {median(env) / steps, median(inference) / steps,
          median(training) / (steps * batching.rollouts)};
}

}  // namespace tandem
