// Epsilon-greedy exploration, different in each thread or environment.
#pragma once

#include <cstdint>

#include "tandem/base/field.h"

namespace tandem {

/// The hyperparameters of A3C's section 5.1, as config keys q.epsilon_* and q.share_*. Value type.
struct ExplorationConfig {
  double epsilon_start = 1.0;
  std::int64_t epsilon_frames = 4'000'000;  // frames in which epsilon falls from epsilon_start to
                                            // its final value
  double epsilon_1 = 0.1;                   // the first of the three final values
  double epsilon_2 = 0.01;
  double epsilon_3 = 0.5;
  double share_1 = 0.4;  // weight of epsilon_1 in the draw of the final value
  double share_2 = 0.3;  // weight of epsilon_2
  double share_3 = 0.3;  // weight of epsilon_3
  double epsilon_eval = 0.05;

  FieldList fields();
};

/// Epsilon, the probability of a random action. It changes linearly, with the steps of all
/// environments, to a final value. Each environment draws a final value for each of its episodes,
/// as A3C's threads sample theirs "periodically" (section 4.1): one thread alone thus explores with
/// all values of the distribution. The draw depends on the seed, the environment's index and the
/// episode's number alone. Immutable; safe to use from many threads.
class Exploration {
 public:
  Exploration(const ExplorationConfig& config, std::uint64_t seed, std::int64_t frames_per_step);

  /// Of environment `env` in its episode number `episode`, from 0 on, after `steps` steps of all
  /// environments.
  [[nodiscard]] float epsilon(int env, std::int64_t episode, std::int64_t steps) const;
  /// The value that epsilon has in this episode after epsilon_frames.
  [[nodiscard]] double final_epsilon(int env, std::int64_t episode) const;
  [[nodiscard]] float at_evaluation() const { return static_cast<float>(config_.epsilon_eval); }

 private:
  ExplorationConfig config_;
  std::uint64_t seed_;
  double frames_per_step_;
};

}  // namespace tandem
