// Asynchronous updates of parameters that all threads share (A3C, section 4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "tandem/learn/learner.h"
#include "tandem/learn/optimizer.h"

namespace tandem {

/// How threads share an optimizer. Value type.
struct SharingConfig {
  bool shared_statistics = true;  // one g for all threads (Shared RMSProp); false: one for each
  bool locking = false;           // threads copy and update one at a time, for comparisons
};

/// Updates the learner's parameters from many threads at once, without locks unless the config asks
/// for them (see racy.h). All threads may call all members except slots() at the same time, each
/// with its own index `thread`.
class Hogwild {
 public:
  /// Throws Error for an optimizer that has no asynchronous form here.
  static void require_kind(const std::string& optimizer);

  /// The learner must outlive it, and nothing else may update it. Throws as require_kind() does.
  Hogwild(Learner& learner, const SharingConfig& sharing, int threads);

  /// Copies theta to theta', the thread's own parameters.
  void copy_parameters(std::span<float> own);

  /// Updates the shared parameters with a thread's gradient. `steps` is the number of steps that
  /// all threads have taken so far.
  UpdateInfo apply(int thread, std::span<const float> gradient, std::int64_t steps);

  /// Adds the observations of a thread's rollout to the statistics of the network's inputs (see
  /// add_observations()); does nothing if the architecture has none. Threads update them one at a
  /// time: unlike a lost gradient, lost observations would falsify the count. Copies of parameters
  /// do not wait for it, and may get the mean of one moment and the variance of the next.
  void observe(std::span<const std::span<const std::byte>> pieces);

  /// The threads' own statistics, for checkpoints. Must not be called while threads run.
  std::vector<Optimizer::Slot> slots();

 private:
  void step(std::span<float> statistics, std::span<const float> gradient, float scale, float lr);

  Learner& learner_;
  const std::size_t trained_;  // the number of parameters that gradients train
  const SharingConfig sharing_;
  std::span<float> shared_;              // the learner's own statistics
  std::vector<std::vector<float>> own_;  // by thread; empty: all threads share one
  // Held by observe(), and by all others if the config asks for locks; guards no member.
  std::mutex mutex_;
};

}  // namespace tandem
