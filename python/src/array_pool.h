// Memory of the arrays that environments give to Python.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>

#include "lending_pool.h"

namespace tandem::python {

/// Bytes that begin at a cache line. Movable.
class ArrayMemory {
 public:
  explicit ArrayMemory(std::size_t size) : bytes_(new (kCacheLine) std::byte[size]), size_(size) {}

  [[nodiscard]] std::span<std::byte> bytes() const { return {bytes_.get(), size_}; }

 private:
  static constexpr std::align_val_t kCacheLine{64};
  struct Free {
    void operator()(std::byte* bytes) const { operator delete[](bytes, kCacheLine); }
  };

  std::unique_ptr<std::byte[], Free> bytes_;
  std::size_t size_;
};

using ArrayPool = LendingPool<ArrayMemory>;

/// A pool of blocks of this size.
inline std::shared_ptr<ArrayPool> make_array_pool(std::size_t bytes) {
  return std::make_shared<ArrayPool>([bytes] { return ArrayMemory(bytes); });
}

}  // namespace tandem::python
