#include "tandem/algo/catalogue.h"

#include <utility>

#include "tandem/algo/a2c.h"
#include "tandem/algo/dpg.h"
#include "tandem/algo/dqn.h"
#include "tandem/algo/ppo.h"
#include "tandem/algo/q_learning.h"

namespace tandem {
namespace {

template <class Numbers>
std::shared_ptr<const AlgorithmEntry> entry(AlgorithmInfo info,
                                            typename AlgorithmEntryOf<Numbers>::Make make) {
  return std::make_shared<AlgorithmEntryOf<Numbers>>(std::move(info), std::move(make));
}

/// One of the methods of A3C's sections 4.1 to 4.3.
std::shared_ptr<const AlgorithmEntry> value_method(const char* name, const char* idea,
                                                   QMethod method) {
  return entry<QConfig>(
      {.name = name, .idea = idea, .table = "q", .traits = {.actor_critic = false}},
      [method](const QConfig& config, const AlgorithmTask& task) {
        return make_q_learning(method, config, task.seed, task.spec.frames_per_step);
      });
}

}  // namespace

std::vector<std::shared_ptr<const AlgorithmEntry>> published_algorithms() {
  return {
      entry<A2cConfig>({.name = "a2c",
                        .idea = "advantage actor-critic over n-step returns",
                        .table = "a2c",
                        .traits = {.continuous = true}},
                       [](const A2cConfig& config, const AlgorithmTask& task) {
                         return task.spec.discrete() ? make_a2c(config) : make_gaussian_a2c(config);
                       }),
      entry<PpoConfig>({.name = "ppo",
                        .idea = "several passes over the same rollouts, with clipped ratios",
                        .table = "ppo",
                        .traits = {.passes = true, .continuous = true}},
                       [](const PpoConfig& config, const AlgorithmTask& task) {
                         return task.spec.discrete() ? make_ppo(config) : make_gaussian_ppo(config);
                       }),
      value_method("one_step_q", "one-step Q-learning", QMethod::one_step_q),
      value_method("one_step_sarsa", "one-step Sarsa", QMethod::one_step_sarsa),
      value_method("n_step_q", "n-step Q-learning", QMethod::n_step_q),
      entry<DqnConfig>({.name = "dqn",
                        .idea = "double Q-learning from a replay",
                        .table = "dqn",
                        .traits = {.learns_from = LearnsFrom::replay,
                                   .actor_critic = false,
                                   .recurrent = false}},
                       [](const DqnConfig& config, const AlgorithmTask& task) {
                         return make_dqn(config, task.envs, task.dueling);
                       }),
      entry<DpgConfig>({.name = "dpg",
                        .idea = "deterministic policy gradients from a replay, with net.arch = dpg",
                        .table = "dpg",
                        .traits = {.learns_from = LearnsFrom::replay,
                                   .discrete = false,
                                   .continuous = true,
                                   .recurrent = false,
                                   .deterministic_policy = true}},
                       [](const DpgConfig& config, const AlgorithmTask& task) {
                         return make_dpg(config, task.spec);
                       }),
  };
}

}  // namespace tandem
