// Memory for arrays that are read from end to end again and again, such as the weights of a
// network.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace tandem {

/// Reserves at least `bytes` bytes that begin at a cache line. If they fill a page of 2 MB, they
/// begin at one, and the kernel is asked to use such pages: it then needs few address translations,
/// and the processor's prefetching stops at few borders. std::free() frees them. Throws
/// std::bad_alloc. Safe to call from many threads.
void* allocate_large_pages(std::size_t bytes);

/// An allocator for std::vector that calls allocate_large_pages(). Value type.
template <class T>
struct LargePages {
  using value_type = T;  // NOLINT(readability-identifier-naming): the name that allocators have

  /// Keeps nothing, so all are the same.
  LargePages() = default;
  /// An allocator of another type's.
  template <class Other>
  explicit LargePages(const LargePages<Other>& /*other*/) {}

  /// Room for `count` values. Throws std::bad_alloc.
  T* allocate(std::size_t count) {
    return static_cast<T*>(allocate_large_pages(count * sizeof(T)));
  }
  /// Frees what allocate() gave.
  void deallocate(T* array, std::size_t /*count*/) { std::free(array); }

  /// Any of them frees what another one gave.
  bool operator==(const LargePages& /*other*/) const { return true; }
};

}  // namespace tandem
