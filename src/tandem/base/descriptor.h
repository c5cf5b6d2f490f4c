// A handle of the operating system that closes itself.
#pragma once

#include <unistd.h>

#include <utility>

namespace tandem {

/// Owns a file descriptor of the operating system. Move-only, not thread-safe.
class Descriptor {
 public:
  /// Owns this one; -1: none.
  explicit Descriptor(int descriptor = -1) : descriptor_(descriptor) {}
  ~Descriptor() { close(); }
  /// Takes the other's, which owns none afterwards.
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  /// Exchanges both.
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

  /// The number of the descriptor; -1: none.
  [[nodiscard]] int get() const { return descriptor_; }
  /// Closes it before the end of its life.
  void close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }

 private:
  int descriptor_;
};

}  // namespace tandem
