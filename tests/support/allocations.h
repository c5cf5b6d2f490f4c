// Counts allocations of a test program.
#pragma once

#include <cstdint>

namespace tandem {

/// The number of allocations by operator new, in all threads, since the program started.
std::int64_t allocations_made();

/// Counts allocations by operator new, in any thread, since it was made.
class AllocationCount {
 public:
  [[nodiscard]] std::int64_t so_far() const { return allocations_made() - before_; }

 private:
  const std::int64_t before_ = allocations_made();
};

}  // namespace tandem
