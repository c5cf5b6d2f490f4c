// The rule that one thread at a time uses environments, and only in the process that made them.
#pragma once

#include <unistd.h>

#include <atomic>

#include "tandem/base/error.h"

namespace tandem::python {

/// Remembers the process that made it, and whether a thread uses the environments.
class Occupancy {
 public:
  /// Whether the present process is a fork of the one that made the environments. Threads do not
  /// survive a fork, so the environments are useless there.
  [[nodiscard]] bool forked() const { return getpid() != process_; }

 private:
  friend class Caller;
  pid_t process_ = getpid();
  std::atomic<bool> used_ = false;
};

/// A call that uses the environments. Its constructor throws Error if it must not. The GIL does not
/// suffice, because calls release it.
class Caller {
 public:
  explicit Caller(Occupancy& occupancy) : occupancy_(occupancy) {
    if (occupancy_.forked()) {
      throw Error(
          "these environments belong to another process, of which this one is a fork: their "
          "threads "
          "are not here. Make the environments after the fork, or start processes by spawn");
    }
    if (occupancy_.used_.exchange(true)) {
      throw Error(
          "another thread is using these environments. Let one thread at a time use them, or give "
          "each thread its own");
    }
  }
  ~Caller() { occupancy_.used_ = false; }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

 private:
  Occupancy& occupancy_;
};

}  // namespace tandem::python
