#include "array_pool.h"

#include <new>
#include <utility>

namespace tandem::python {

struct ArrayPool::Memory {
  static constexpr std::align_val_t kCacheLine{64};
  struct Free {
    void operator()(std::byte* bytes) const { operator delete[](bytes, kCacheLine); }
  };

  explicit Memory(std::size_t size) : bytes(new (kCacheLine) std::byte[size]), size(size) {}

  std::unique_ptr<std::byte[], Free> bytes;
  std::size_t size;
  std::shared_ptr<ArrayPool> pool;  // while the block is in use
};

std::span<std::byte> ArrayPool::Block::bytes() const {
  return {memory_->bytes.get(), memory_->size};
}

nanobind::capsule ArrayPool::Block::to_owner() && {
  nanobind::capsule owner(memory_.get(),
                          [](void* memory) noexcept { give_back(static_cast<Memory*>(memory)); });
  std::ignore = memory_.release();
  return owner;
}

ArrayPool::ArrayPool(std::size_t bytes) : bytes_(bytes) {}
ArrayPool::~ArrayPool() = default;

ArrayPool::Block ArrayPool::take() {
  if (free_.empty()) {
    blocks_.push_back(std::make_unique<Memory>(bytes_));
    free_.reserve(blocks_.size());  // so that a block's return never allocates
    free_.push_back(blocks_.back().get());
  }
  Block block;
  block.memory_.reset(free_.back());
  free_.pop_back();
  block.memory_->pool = shared_from_this();
  return block;
}

void ArrayPool::give_back(Memory* memory) {
  const auto pool = std::move(memory->pool);  // the last reference may be this one
  pool->free_.push_back(memory);
}

}  // namespace tandem::python
