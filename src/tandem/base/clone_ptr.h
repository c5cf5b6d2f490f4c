// A pointer that copies its object, so that a class hierarchy has value semantics.
#pragma once

#include <memory>
#include <utility>

namespace tandem {

/// Owns one T, whose clone() copies an object of any derived class. Copying the pointer copies the
/// object. As thread-safe as the object.
template <class T>
class ClonePtr {
 public:
  ClonePtr() = default;
  /// Takes the object over; null makes an empty pointer.
  explicit ClonePtr(std::unique_ptr<T> object) : object_(std::move(object)) {}
  /// Clones the object of `other`.
  ClonePtr(const ClonePtr& other) : object_(other ? other->clone() : nullptr) {}
  ClonePtr(ClonePtr&&) noexcept = default;
  /// Takes a copy of the other's object, or the object itself where `other` was moved.
  ClonePtr& operator=(ClonePtr other) noexcept {
    object_ = std::move(other.object_);
    return *this;
  }
  ~ClonePtr() = default;

  /// Whether there is an object.
  explicit operator bool() const { return object_ != nullptr; }
  /// The object; there must be one.
  T& operator*() const { return *object_; }
  /// The object; null when there is none.
  T* operator->() const { return object_.get(); }

 private:
  std::unique_ptr<T> object_;
};

}  // namespace tandem
