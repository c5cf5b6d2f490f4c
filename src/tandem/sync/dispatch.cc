#include "tandem/sync/dispatch.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

#include "tandem/sync/crew.h"

namespace tandem {
namespace {
constexpr int kNotWaiting = std::numeric_limits<int>::max();
}

Dispatch::Dispatch(int capacity, std::stop_token stop)
    : stop_(std::move(stop)), ring_(capacity), done_(capacity), wanted_(kNotWaiting) {}

void Dispatch::post(std::span<const int> jobs, int sleepers) {
  {
    const Lock lock(mutex_);
    auto posted = posted_.load();
    for (const int job : jobs) ring_[posted++ % ring_.size()].store(job);
    posted_.store(posted);
  }
  const auto useful = std::min<std::ptrdiff_t>(sleepers, std::ssize(jobs));
  for (std::ptrdiff_t i = 0; i < useful; ++i) posted_changed_.notify_one();
}

void Dispatch::wait_done(int count) {
  if (done_count_.load() >= count) return;
  // wanted_ and done_count_ are sequentially consistent: a worker either sees the wanted number, or
  // has counted its job before the caller reads the count.
  wanted_.store(count);
  {
    WaitLock lock(mutex_);
    wait_until(done_changed_, lock, stop_, [&] { return done_count_.load() >= count; });
  }
  wanted_.store(kNotWaiting);
}

void Dispatch::collect(int job) {
  done_[job].store(false, std::memory_order_relaxed);
  done_count_.fetch_sub(1);
}

int Dispatch::take() {
  for (;;) {
    if (stop_.stop_requested()) throw Stopped();
    if (const auto job = try_take()) return *job;
    WaitLock lock(mutex_);
    wait_until(posted_changed_, lock, stop_, [this] { return taken_.load() < posted_.load(); });
  }
}

std::optional<int> Dispatch::try_take() {
  auto taken = taken_.load();
  while (taken < posted_.load()) {
    // The job is read before it is claimed. If another job has taken its place in the ring by then,
    // another worker has claimed it, so this claim fails.
    const int job = ring_[taken % ring_.size()].load();
    if (taken_.compare_exchange_weak(taken, taken + 1)) return job;
  }
  return std::nullopt;
}

void Dispatch::done(int job) {
  done_[job].store(true, std::memory_order_release);
  if (done_count_.fetch_add(1) + 1 < wanted_.load()) return;
  { const Lock lock(mutex_); }  // now the caller sleeps, or has yet to read the count
  done_changed_.notify_one();
}

}  // namespace tandem
