// The rule that one thread at a time uses an object, and only in the process that made it.
#pragma once

#include <unistd.h>

#include <atomic>
#include <string>
#include <utility>

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

  /// Throws Error in a forked process.
  void require_own_process() const {
    if (forked()) throw Error(when_forked_);
  }

 private:
  friend class Caller;
  const std::string when_forked_;
  const std::string when_used_;
  const pid_t process_ = getpid();
  std::atomic<bool> used_ = false;
};

/// A call that uses the object. Its constructor throws Error if it must not. The GIL does not
/// suffice, because calls release it.
class Caller {
 public:
  explicit Caller(Occupancy& occupancy) : occupancy_(occupancy) {
    occupancy_.require_own_process();
    if (occupancy_.used_.exchange(true)) throw Error(occupancy_.when_used_);
  }
  ~Caller() { occupancy_.used_ = false; }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

 private:
  Occupancy& occupancy_;
};

}  // namespace tandem::python
