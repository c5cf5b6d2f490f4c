// The rule that one thread at a time uses an object, and only in the process that made it.
#pragma once

#include <unistd.h>

#include <atomic>
#include <string>
#include <utility>

#include "tandem/base/error.h"

namespace tandem::python {

/// Remembers the process that made it, and whether a thread uses an object. Its texts are the
/// errors for a fork and for a second thread.
class Occupancy {
 public:
  Occupancy(std::string forked, std::string used)
      : forked_words_(std::move(forked)), used_words_(std::move(used)) {}

  /// Whether the present process is a fork of the one that made the object. Threads do not
  /// survive a fork, and locks may be held there for ever.
  [[nodiscard]] bool forked() const { return getpid() != process_; }

 private:
  friend class Caller;
  std::string forked_words_;
  std::string used_words_;
  pid_t process_ = getpid();
  std::atomic<bool> used_ = false;
};

/// A call that uses the object. Its constructor throws Error if it must not. The GIL does not
/// suffice, because calls release it.
class Caller {
 public:
  explicit Caller(Occupancy& occupancy) : occupancy_(occupancy) {
    if (occupancy_.forked()) throw Error(occupancy_.forked_words_);
    if (occupancy_.used_.exchange(true)) throw Error(occupancy_.used_words_);
  }
  ~Caller() { occupancy_.used_ = false; }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

 private:
  Occupancy& occupancy_;
};

}  // namespace tandem::python
