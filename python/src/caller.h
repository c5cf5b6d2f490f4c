// The rule that one thread at a time uses an object, and only in the process that made it. The
// threads that wait in an object.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tandem/base/error.h"

namespace tandem::python {

/// Remembers the process that made an object, and whether a thread uses the object.
class Occupancy {
 public:
  /// The errors for a caller in a forked process, and for a second thread.
  Occupancy(std::string when_forked, std::string when_used)
      : when_forked_(std::move(when_forked)), when_used_(std::move(when_used)) {}

  /// Whether the present process is a fork of the one that made the object. Threads do not survive
  /// a fork, so the object is useless there.
  [[nodiscard]] bool forked() const { return getpid() != process_; }

  /// Throws Error in a forked process, and after refuse().
  void require_usable() const {
    if (forked()) throw Error(when_forked_);
    if (refused_) throw Error("the interpreter ends");
  }

  /// Refuses all further calls. Python ends threads that come back to it while the interpreter
  /// ends, and C++ does not survive that.
  void refuse() { refused_ = true; }
  [[nodiscard]] bool refused() const { return refused_; }
  /// Whether a call uses the object.
  [[nodiscard]] bool used() const { return used_; }

 private:
  friend class Caller;
  const std::string when_forked_;
  const std::string when_used_;
  const pid_t process_ = getpid();
  std::atomic<bool> used_ = false;
  std::atomic<bool> refused_ = false;
};

/// A call that uses the object. Its constructor throws Error if it must not. The GIL does not
/// suffice, because calls release it.
class Caller {
 public:
  explicit Caller(Occupancy& occupancy) : occupancy_(occupancy) {
    occupancy_.require_usable();
    if (occupancy_.used_.exchange(true)) throw Error(occupancy_.when_used_);
  }
  ~Caller() { occupancy_.used_ = false; }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

 private:
  Occupancy& occupancy_;
};

/// The threads within an object's waiting calls. A thread may be there several times: a signal
/// handler runs within the call that it interrupts. Safe to use from many threads.
class Visitors {
 public:
  void enter() {
    const std::lock_guard lock(mutex_);
    threads_.push_back(std::this_thread::get_id());
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    threads_.erase(std::ranges::find(threads_, std::this_thread::get_id()));
  }
  /// Whether a thread other than the calling one is there.
  [[nodiscard]] bool others() const {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(threads_,
                               [](auto thread) { return thread != std::this_thread::get_id(); });
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::thread::id> threads_;
};

/// A stay of this thread among the visitors.
class Visit {
 public:
  explicit Visit(Visitors& visitors) : visitors_(visitors) { visitors_.enter(); }
  ~Visit() { visitors_.leave(); }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

 private:
  Visitors& visitors_;
};

}  // namespace tandem::python
