// A lock that threads get in the order in which they ask for it.
#pragma once

#include <atomic>
#include <cstdint>

#include "tandem/sync/annotations.h"

namespace tandem {

/// For a lock that its usual holder takes again at once, thousands of times a second. With a
/// std::mutex another thread would wait for seconds: the holder is awake and always gets it first.
/// Not recursive. Safe to use from many threads.
class TANDEM_CAPABILITY("mutex") FairMutex {
 public:
  void lock() TANDEM_ACQUIRE() {
    const auto ticket = next_.fetch_add(1, std::memory_order_relaxed);
    for (auto now = serving_.load(std::memory_order_acquire); now != ticket;
         now = serving_.load(std::memory_order_acquire)) {
      serving_.wait(now, std::memory_order_acquire);
    }
  }

  void unlock() TANDEM_RELEASE() {
    serving_.fetch_add(1, std::memory_order_release);
    serving_.notify_all();
  }

 private:
  std::atomic<std::uint32_t> next_ = 0;     // the next ticket
  std::atomic<std::uint32_t> serving_ = 0;  // the ticket of the thread that holds the lock
};

}  // namespace tandem
