// Asynchronous updates of parameters that all threads share (A3C, section 4).
#pragma once

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
  bool shared_statistics = true;  // one g for all: Shared RMSProp; else one a thread
  bool locking = false;           // one thread at a time: for comparison
};

/// Updates the learner's parameters from many threads at once, each under its own number, without
/// locks (see racy.h) unless asked for. All members but slots() may be called by all threads at the
/// same time, each with a `thread` of its own.
class Hogwild {
 public:
  /// The learner must outlive it, and nobody else may update it. Throws Error for an optimizer that
  /// has no asynchronous form here.
  Hogwild(Learner& learner, const SharingConfig& sharing, int threads);

  /// theta' = theta: the thread's own copy of the parameters.
  void copy_parameters(std::span<float> own);

  /// Moves the shared parameters by a thread's gradient; `steps` have been taken so far by all.
  UpdateInfo apply(int thread, std::span<const float> gradient, std::int64_t steps);

  /// What the threads keep for themselves, to save and restore. Not while they run.
  std::vector<Optimizer::Slot> slots();

 private:
  void step(std::span<float> statistics, std::span<const float> gradient, float scale, float lr);

  Learner& learner_;
  const SharingConfig sharing_;
  std::span<float> shared_;              // the learner's own statistics
  std::vector<std::vector<float>> own_;  // by thread; empty where they are shared
  std::mutex mutex_;                     // taken where locking is asked for: guards no member
};

}  // namespace tandem
