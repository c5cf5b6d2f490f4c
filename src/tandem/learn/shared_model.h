// One model for all threads, updated under a lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tandem/learn/learner.h"
#include "tandem/sync/annotations.h"
#include "tandem/sync/mutex.h"
#include "tandem/sync/workers.h"

namespace tandem {

/// The model of GA3C's section 4.1: trainers update it and predictors read it. Updates are made one
/// after another and none is lost, unlike Hogwild's; this suits a few trainers, each with the
/// gradient of a whole batch. A version is the number of updates since construction. Safe to use
/// from many threads.
class SharedModel {
 public:
  /// The learner must outlive it, and nothing else may update it.
  explicit SharedModel(Learner& learner) : size_(learner.parameters().size()), learner_(learner) {}

  /// The number of updates so far.
  [[nodiscard]] std::int64_t version() const { return version_.load(std::memory_order_acquire); }

  /// The number of parameters.
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Copies the parameters if they are newer than `version`, and updates `version`. Returns whether
  /// it copied.
  bool copy_if_newer(std::optional<std::int64_t>& version, std::span<float> own) const;

  /// Updates the parameters with the sum of the gradients, as Learner::apply() does, and then the
  /// statistics of the inputs with the batch's observations, as Learner::observe() does. Others
  /// see both at once. The calling thread does all of it.
  UpdateInfo apply(std::span<const std::vector<float>> gradients, std::int64_t steps,
                   std::span<const std::span<const std::byte>> observations = {});

  /// Does the same on all threads of `workers`, with the same bits.
  UpdateInfo apply(std::span<const std::vector<float>> gradients, std::int64_t steps,
                   std::span<const std::span<const std::byte>> observations, Workers& workers);

 private:
  const std::size_t size_;
  mutable SharedMutex mutex_;
  Learner& learner_ TANDEM_GUARDED_BY(mutex_);
  std::atomic<std::int64_t> version_ = 0;
};

}  // namespace tandem
