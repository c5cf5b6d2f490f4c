#include "tandem/sync/workers.h"

#include <utility>

namespace tandem {

Workers::Workers(int threads) : threads_(threads) {
  crew_.spawn("worker", threads - 1, [this](int) { help(); });
}

Workers::~Workers() = default;

void Workers::parallel_for(int count, const std::function<void(int index)>& body) {
  {
    const Lock lock(mutex_);
    body_ = &body;
    count_ = count;
    next_ = 0;
  }
  if (count > 1) work_.notify_all();
  drain();
  std::exception_ptr error;
  {
    // A helper that has not woken yet will find no index left. So the caller waits only for helpers
    // in the loop, not for a thread that got no core.
    WaitLock lock(mutex_);
    ended_.wait(lock, [this]() TANDEM_REQUIRES(mutex_) { return helping_ == 0; });
    error = std::exchange(error_, nullptr);
  }
  if (error) std::rethrow_exception(error);
}

void Workers::help() {
  WaitLock lock(mutex_);
  for (;;) {
    wait_until(work_, lock, crew_.stop_token(), [this] { return next_ < count_; });
    ++helping_;
    lock.unlock();
    drain();
    lock.lock();
    if (--helping_ == 0) ended_.notify_one();
  }
}

void Workers::drain() {
  for (;;) {
    const int index = next_.fetch_add(1);
    if (index >= count_) return;
    try {
      (*body_)(index);
    } catch (...) {
      const Lock lock(mutex_);
      if (!error_ || index < error_index_) {
        error_ = std::current_exception();
        error_index_ = index;
      }
      next_ = count_;
    }
  }
}

}  // namespace tandem
