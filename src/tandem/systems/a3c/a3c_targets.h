// The target networks of A3C's value-based methods.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tandem/learn/target.h"
#include "tandem/run/checkpoint.h"
#include "tandem/systems/a3c/a3c_config.h"

namespace tandem {

/// theta- of Algorithms 1 and 2: one that all threads share, or one for each thread, which section
/// 4.1 names as a variant. The shared theta- is due at multiples of the interval I_target of T, the
/// steps of all threads. The paper does not say when a thread's own theta- is due. Here each thread
/// counts its own steps t, and its theta- is due at multiples of I_target / learners of t: it is
/// then as old on average as the shared one, and threads that run at different speeds refresh
/// theirs at different times. Different threads may call of() and stepped() at the same time, each
/// with its own index; save() needs all of them to stand still.
class A3cTargets {
 public:
  /// Starts with theta- = `theta` after `steps` steps of all threads, or as `resume` says if it is
  /// not null. With an interval of 0 (steps) there is no target network.
  A3cTargets(const A3cConfig& config, std::span<const float> theta, std::int64_t interval,
             std::int64_t steps, const Checkpoint* resume);

  /// The theta- of a thread.
  [[nodiscard]] const TargetParameters& of(int thread) const { return *targets_[index(thread)]; }

  /// Counts `own` more steps of a thread, after which all threads together have taken `all` steps.
  /// Copies theta to the thread's theta- if that is due.
  void stepped(int thread, std::int64_t own, std::int64_t all,
               const TargetParameters::ReadTheta& read_theta);

  /// Puts all parameters and the threads' numbers of steps into a checkpoint.
  void save(Checkpoint& checkpoint);

 private:
  [[nodiscard]] std::size_t index(int thread) const {
    return own_ ? static_cast<std::size_t>(thread) : 0;
  }

  const bool own_;
  std::vector<std::int64_t> steps_;  // of each thread; empty if the threads share theta-
  std::vector<std::unique_ptr<TargetParameters>> targets_;
};

}  // namespace tandem
