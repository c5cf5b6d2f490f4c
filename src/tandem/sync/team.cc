#include "tandem/sync/team.h"

#include <utility>

namespace tandem {

Team::Team(Crew& crew, std::string role, Work work, Begin begin)
    : crew_(crew), role_(std::move(role)), work_(std::move(work)), begin_(std::move(begin)) {}

void Team::resize(int size) {
  {
    const Lock lock(mutex_);
    if (size < size_) ++rests_;
    size_ = size;
    resting_ = false;
  }
  changed_.notify_all();
  if (size <= started_) return;
  crew_.spawn(
      role_, size - started_, [this](int rank) { repeat(rank); }, started_);
  started_ = size;
}

void Team::rest() {
  WaitLock lock(mutex_);
  resting_ = true;
  ++rests_;
  wait_until(changed_, lock, crew_.stop_token(),
             [&]() TANDEM_REQUIRES(mutex_) { return working_ == 0; });
}

void Team::repeat(int rank) {
  if (begin_) begin_(rank);
  for (int rests_seen = -1;;) {
    bool anew = false;
    {
      WaitLock lock(mutex_);
      wait_until(changed_, lock, crew_.stop_token(),
                 [&]() TANDEM_REQUIRES(mutex_) { return rank < size_ && !resting_; });
      anew = std::exchange(rests_seen, rests_) != rests_;
      ++working_;
    }
    work_(rank, anew);
    bool all_rest = false;
    {
      const Lock lock(mutex_);
      all_rest = --working_ == 0;
    }
    if (all_rest) changed_.notify_all();
  }
}

}  // namespace tandem
