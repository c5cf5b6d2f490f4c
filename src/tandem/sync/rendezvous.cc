#include "tandem/sync/rendezvous.h"

#include <utility>

#include "tandem/sync/crew.h"

namespace tandem {

Rendezvous::Rendezvous(int threads, std::function<void()> together, std::stop_token stop)
    : threads_(threads), together_(std::move(together)), stop_(std::move(stop)) {}

void Rendezvous::meet() {
  WaitLock lock(mutex_);
  if (++waiting_ < threads_) {
    const auto before = meetings_;
    wait_until(met_, lock, stop_, [&]() TANDEM_REQUIRES(mutex_) { return meetings_ > before; });
    return;
  }
  if (stop_.stop_requested()) throw Stopped();
  together_();  // under the lock: no thread can go on before it ends
  waiting_ = 0;
  ++meetings_;
  met_.notify_all();
}

}  // namespace tandem
