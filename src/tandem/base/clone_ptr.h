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
  explicit ClonePtr(std::unique_ptr<T> object) : object_(std::move(object)) {}
  ClonePtr(const ClonePtr& other) : object_(other ? other->clone() : nullptr) {}
  ClonePtr(ClonePtr&&) noexcept = default;
  ClonePtr& operator=(ClonePtr other) noexcept {
    object_ = std::move(other.object_);
    return *this;
  }
  ~ClonePtr() = default;

  explicit operator bool() const { return object_ != nullptr; }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_.get(); }

 private:
  std::unique_ptr<T> object_;
};

}  // namespace tandem
