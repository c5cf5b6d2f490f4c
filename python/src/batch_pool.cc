#include "batch_pool.h"

#include <utility>

namespace tandem::python {

BatchPool::Lent BatchPool::take(std::size_t size) {
  if (size != size_) free_.clear();
  size_ = size;
  std::unique_ptr<SampleBatch> batch;
  if (free_.empty()) {
    batch = std::make_unique<SampleBatch>(format_, size);
  } else {
    batch = std::move(free_.back());
    free_.pop_back();
  }
  return Lent({batch.release(), Lent::Return{shared_from_this()}});
}

void BatchPool::give_back(SampleBatch* batch) {
  std::unique_ptr<SampleBatch> owned(batch);
  if (owned->size == size_) free_.push_back(std::move(owned));
}

nanobind::capsule BatchPool::Lent::to_owner() && {
  auto* lent = new Lent(std::move(*this));
  return {lent, [](void* memory) noexcept { delete static_cast<Lent*>(memory); }};
}

}  // namespace tandem::python
