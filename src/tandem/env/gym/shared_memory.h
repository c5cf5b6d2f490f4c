// Memory that a group shares with its worker processes.
#pragma once

#include <cstddef>
#include <span>

#include "tandem/base/descriptor.h"

namespace tandem {

/// Memory without a name, in a file that exists as long as somebody has it open or mapped: nothing
/// of it is left after any end. Move-only. Not thread-safe.
class SharedMemory {
 public:
  /// Still empty. Throws Error when the system refuses.
  SharedMemory();
  ~SharedMemory();
  SharedMemory(SharedMemory&&) = delete;
  SharedMemory& operator=(SharedMemory&&) = delete;

  /// Makes it this large, filled with zeros, and maps it. Call it once. Throws Error when the
  /// system refuses.
  void resize(std::size_t bytes);

  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
  [[nodiscard]] int descriptor() const { return file_.get(); }

 private:
  Descriptor file_;
  std::span<std::byte> bytes_;
};

}  // namespace tandem
