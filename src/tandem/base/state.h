// Binary state of environments and random streams, for checkpoints.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tandem/base/error.h"

namespace tandem {

/// Takes one piece of a state that is too large to be copied in memory; called for each piece, in
/// order.
using TakePiece = std::function<void(std::span<const std::byte> piece)>;

/// Gives the pieces of such a state, of some megabytes each, to `take`. Throws PiecesLost where
/// their source is lost on the way.
using GivePieces = std::function<void(const TakePiece& take)>;

/// Some pieces of a state are lost, and the others are worth nothing without them.
struct PiecesLost {};

/// Collects values into bytes, in the order of the calls. Not thread-safe.
class StateWriter {
 public:
  /// Appends the value's bytes as they lie in memory.
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) {
    // With insert() instead, GCC 12 would warn of an overflow in some unity builds.
    const auto size = bytes_.size();
    bytes_.resize(size + sizeof(T));
    std::memcpy(bytes_.data() + size, &value, sizeof(T));
  }

  /// Appends the length of a block, then its bytes.
  void put_bytes(std::span<const std::byte> block) {
    put(static_cast<std::uint64_t>(block.size()));
    bytes_.insert(bytes_.end(), block.begin(), block.end());
  }

  /// Appends the length of the values in bytes, then the values.
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put_values(const std::vector<T>& values) { put_bytes(std::as_bytes(std::span(values))); }

  /// Appends the length of a text, then its bytes.
  void put_string(const std::string& text) { put_bytes(std::as_bytes(std::span(text))); }

  /// All bytes so far.
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

  /// Hands over the bytes without a copy.
  [[nodiscard]] std::vector<std::byte> take() && { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads the values of a StateWriter in the same order. Throws Error when the bytes end early. The
/// bytes must outlive the reader. Not thread-safe.
class StateReader {
 public:
  /// Begins at the first of these bytes.
  explicit StateReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  /// Reads a value that put() wrote; T must be the same type.
  template <class T>
  requires std::is_trivially_copyable_v<T> T get() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  /// Reads the block of one put_bytes(), as a view of the reader's bytes.
  std::span<const std::byte> get_bytes() { return take(get<std::uint64_t>()); }

  /// Reads the block of one put_bytes() into `room`. Throws Error(otherwise) when it has another
  /// size.
  void get_into(std::span<std::byte> room, const char* otherwise) {
    const auto block = get_bytes();
    if (block.size() != room.size()) throw Error(otherwise);
    std::ranges::copy(block, room.begin());
  }

  /// Reads the values of one put_values(). Throws Error when the block does not hold whole values.
  template <class T>
  requires std::is_trivially_copyable_v<T> std::vector<T> get_values() {
    const auto block = get_bytes();
    if (block.size() % sizeof(T) != 0) {
      throw Error("the saved state is damaged or from another version");
    }
    std::vector<T> values(block.size() / sizeof(T));
    std::ranges::copy(block, std::as_writable_bytes(std::span(values)).begin());
    return values;
  }

  /// Reads the text of one put_string().
  std::string get_string() {
    const auto block = get_bytes();
    return {reinterpret_cast<const char*>(block.data()), block.size()};
  }

  /// Whether everything has been read.
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  std::span<const std::byte> take(std::uint64_t count) {
    if (count > rest_.size()) {
      throw Error("the saved state ends too early; it is damaged or from another version");
    }
    const auto block = rest_.first(count);
    rest_ = rest_.subspan(count);
    return block;
  }

  std::span<const std::byte> rest_;
};

}  // namespace tandem
