#include "tandem/base/large_pages.h"

#include <sys/mman.h>

#include <new>

namespace tandem {

void* allocate_large_pages(std::size_t bytes) {
  constexpr std::size_t kCacheLine = 64;
  constexpr std::size_t kLargePage = std::size_t{2} << 20;
  const auto alignment = bytes < kLargePage ? kCacheLine : kLargePage;
  const auto rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  if (alignment == kLargePage) madvise(memory, rounded, MADV_HUGEPAGE);  // a wish: it may fail
  return memory;
}

}  // namespace tandem
