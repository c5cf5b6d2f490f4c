// A queue between threads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <optional>
#include <stop_token>
#include <utility>

#include "tandem/sync/annotations.h"
#include "tandem/sync/crew.h"
#include "tandem/sync/mutex.h"

namespace tandem {

/// A queue of limited capacity: push() waits while it is full. Any thread may call any member.
/// Blocking calls throw Stopped once `stop` is requested.
template <class T>
class Queue {
 public:
  Queue(std::size_t capacity, std::stop_token stop) : capacity_(capacity), stop_(std::move(stop)) {}

  /// Waits for room and appends the item.
  void push(T item) {
    {
      WaitLock lock(mutex_);
      wait_until(room_, lock, stop_,
                 [&]() TANDEM_REQUIRES(mutex_) { return items_.size() < capacity_; });
      items_.push_back(std::move(item));
    }
    filled_.notify_one();
  }

  /// Waits for the oldest item and removes it; returns nothing once the queue is closed and empty.
  std::optional<T> pop() {
    std::optional<T> item;
    {
      WaitLock lock(mutex_);
      wait_until(filled_, lock, stop_,
                 [&]() TANDEM_REQUIRES(mutex_) { return !items_.empty() || closed_; });
      if (items_.empty()) return std::nullopt;
      item = std::move(items_.front());
      items_.pop_front();
    }
    room_.notify_one();
    return item;
  }

  /// Announces that no more items will come: pop() returns the remaining ones, and then nothing.
  void close() {
    {
      const Lock lock(mutex_);
      closed_ = true;
    }
    filled_.notify_all();
  }

  /// Undoes close().
  void open() {
    const Lock lock(mutex_);
    closed_ = false;
  }

  [[nodiscard]] std::size_t size() const {
    const Lock lock(mutex_);
    return items_.size();
  }

 private:
  const std::size_t capacity_;
  const std::stop_token stop_;
  mutable Mutex mutex_;
  std::condition_variable_any filled_;
  std::condition_variable_any room_;
  std::deque<T> items_ TANDEM_GUARDED_BY(mutex_);
  bool closed_ TANDEM_GUARDED_BY(mutex_) = false;
};

}  // namespace tandem
