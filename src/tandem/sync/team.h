// Threads of one role, whose number changes while they work.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <string>

#include "tandem/sync/annotations.h"
#include "tandem/sync/crew.h"
#include "tandem/sync/mutex.h"

namespace tandem {

/// Threads of a crew that do the same work again and again, until the crew stops. After a shrink,
/// surplus threads finish their current unit of work, then sleep; nothing is lost. The team and
/// all objects that the work uses must outlive the crew's threads. Any thread may call size(); the
/// other members are for one thread at a time.
class Team {
 public:
  /// A unit of work by the thread of this rank. `anew` is true for its first unit, and for its
  /// first after the team rested or shrank, when much may have changed since the unit before.
  using Work = std::function<void(int rank, bool anew)>;

  /// The set-up that each thread runs once, before its first unit of work.
  using Begin = std::function<void(int rank)>;

  Team(Crew& crew, std::string role, Work work, Begin begin = {});

  /// Makes the threads of ranks [0, size) work and all others rest.
  void resize(int size);

  /// The size of the last resize(), also while all rest.
  [[nodiscard]] int size() const { return size_; }

  /// Makes all threads rest until the next resize(), and waits until they do. Throws Stopped when
  /// the crew was stopped.
  void rest();

 private:
  [[noreturn]] void repeat(int rank);

  Crew& crew_;
  const std::string role_;
  const Work work_;
  const Begin begin_;
  int started_ = 0;  // number of threads started so far

  Mutex mutex_;
  std::condition_variable_any changed_;
  std::atomic<int> size_ = 0;  // written under mutex_
  bool resting_ TANDEM_GUARDED_BY(mutex_) = false;
  int rests_ TANDEM_GUARDED_BY(mutex_) = 0;  // number of calls that made threads rest
  int working_ TANDEM_GUARDED_BY(mutex_) = 0;
};

}  // namespace tandem
