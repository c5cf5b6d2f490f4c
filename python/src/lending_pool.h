// Memory that Python receives, and that comes back.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace tandem::python {

/// Objects that are used again and again, so that a call allocates no memory and touches none for
/// the first time. An object that Python has received comes back when the last array that refers to
/// it dies, and never before. The pool keeps as many objects as were in use at once, and lives as
/// long as one of them is in use. All calls need the GIL, which makes them thread-safe.
template <class T>
class LendingPool : public std::enable_shared_from_this<LendingPool<T>> {
  struct Item {
    T object;
    std::shared_ptr<LendingPool> pool;  // while the object is in use
  };

 public:
  /// An object that is in use; its destructor returns it. Movable.
  class Lent {
   public:
    Lent() = default;
    explicit operator bool() const { return item_ != nullptr; }
    [[nodiscard]] T& operator*() const { return item_->object; }
    [[nodiscard]] T* operator->() const { return &item_->object; }

    /// Hands the object to Python: it is in use as long as the returned owner lives.
    nanobind::capsule to_owner() && {
      nanobind::capsule owner(item_.get(),
                              [](void* item) noexcept { give_back(static_cast<Item*>(item)); });
      std::ignore = item_.release();
      return owner;
    }

   private:
    friend LendingPool;
    struct Return {
      void operator()(Item* item) const { give_back(item); }
    };
    std::unique_ptr<Item, Return> item_;
  };

  /// A pool of the objects that `make` makes; call it through std::make_shared.
  explicit LendingPool(std::function<T()> make) : make_(std::move(make)) {}

  /// An object with undefined contents.
  [[nodiscard]] Lent take() {
    if (free_.empty()) {
      items_.push_back(std::make_unique<Item>(Item{make_(), nullptr}));
      free_.reserve(items_.size());  // so that a return never allocates
      free_.push_back(items_.back().get());
    }
    Lent lent;
    lent.item_.reset(free_.back());
    free_.pop_back();
    lent.item_->pool = this->shared_from_this();
    return lent;
  }

  /// How many objects the pool has made; those in use count, too.
  [[nodiscard]] std::size_t size() const { return items_.size(); }

 private:
  static void give_back(Item* item) {
    const auto pool = std::move(item->pool);  // the last reference may be this one
    pool->free_.push_back(item);
  }

  std::function<T()> make_;
  std::vector<std::unique_ptr<Item>> items_;
  std::vector<Item*> free_;
};

}  // namespace tandem::python
