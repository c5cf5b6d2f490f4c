// Memory of the batches that Python receives.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "tandem/replay/sample_batch.h"

namespace tandem::python {

/// Batches that are used again and again, so that a sample allocates no memory. A batch that Python
/// has received comes back when the last array that refers to it dies, and never before. The pool
/// keeps batches of the newest size, as many as were in use at once. All calls need the GIL, which
/// makes them thread-safe.
class BatchPool : public std::enable_shared_from_this<BatchPool> {
 public:
  /// A batch that is in use; its destructor returns it. Movable.
  class Lent {
   public:
    [[nodiscard]] SampleBatch& operator*() const { return *batch_; }
    [[nodiscard]] SampleBatch* operator->() const { return batch_.get(); }

    /// Hands the batch to Python: it is in use as long as the returned object lives.
    nanobind::capsule to_owner() &&;

   private:
    friend class BatchPool;
    struct Return {
      std::shared_ptr<BatchPool> pool;
      void operator()(SampleBatch* batch) const { pool->give_back(batch); }
    };
    explicit Lent(std::unique_ptr<SampleBatch, Return> batch) : batch_(std::move(batch)) {}
    std::unique_ptr<SampleBatch, Return> batch_;
  };

  /// A pool of batches of this format; call it through std::make_shared.
  explicit BatchPool(const FrameFormat& format) : format_(format) {}

  /// A batch of this size with undefined contents.
  Lent take(std::size_t size);

 private:
  void give_back(SampleBatch* batch);

  FrameFormat format_;
  std::size_t size_ = 0;  // of the batches that are kept
  std::vector<std::unique_ptr<SampleBatch>> free_;
};

}  // namespace tandem::python
