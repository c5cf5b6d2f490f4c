// Memory of the arrays that Python receives.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace tandem::python {

/// Blocks of one size that are used again and again, so that a step allocates no memory and touches
/// none for the first time. A block that Python has received comes back when the last array that
/// refers to it dies, and never before. The pool keeps as many blocks as were in use at once, and
/// lives as long as one of them is in use. All calls need the GIL, which makes them thread-safe.
class ArrayPool : public std::enable_shared_from_this<ArrayPool> {
  struct Memory;

 public:
  /// A block that is in use; its destructor returns it. Movable.
  class Block {
   public:
    Block() = default;
    explicit operator bool() const { return memory_ != nullptr; }

    /// Its bytes, aligned to a cache line.
    [[nodiscard]] std::span<std::byte> bytes() const;

    /// Hands the block to Python: it is in use as long as the returned object lives.
    nanobind::capsule to_owner() &&;

   private:
    friend class ArrayPool;
    struct Return {
      void operator()(Memory* memory) const { give_back(memory); }
    };
    std::unique_ptr<Memory, Return> memory_;
  };

  /// A pool of blocks of this size; call it through std::make_shared.
  explicit ArrayPool(std::size_t bytes);
  ~ArrayPool();

  /// A block with undefined contents.
  Block take();

  /// How many blocks the pool has made; those in use count, too.
  [[nodiscard]] std::size_t blocks() const { return blocks_.size(); }

 private:
  static void give_back(Memory* memory);

  std::size_t bytes_;
  std::vector<std::unique_ptr<Memory>> blocks_;
  std::vector<Memory*> free_;
};

}  // namespace tandem::python
