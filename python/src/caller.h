// The rule that one thread at a time uses an object, and only in the process that made it.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <utility>

#include "tandem/base/error.h"

namespace tandem::python {

/// Words of the errors about one kind of object. Value type.
struct OccupancyWords {
  std::string thing;   // "these environments"
  std::string remedy;  // in a fork: "Make the environments after the fork"
  std::string each;    // for several threads: "give each thread its own"
};

/// Remembers the process that made it, and whether a thread uses the object that owns it.
class Occupancy {
 public:
  explicit Occupancy(OccupancyWords words) : words_(std::move(words)) {}

  /// Whether the present process is a fork of the one that made the object. Threads do not survive
  /// a fork, so the object is useless there.
  [[nodiscard]] bool forked() const { return getpid() != process_; }

 private:
  friend class Caller;
  OccupancyWords words_;
  pid_t process_ = getpid();
  std::atomic<bool> used_ = false;
};

/// A call that uses the object. Its constructor throws Error if it must not. The GIL does not
/// suffice, because calls release it.
class Caller {
 public:
  explicit Caller(Occupancy& occupancy) : occupancy_(occupancy) {
    const auto& [thing, remedy, each] = occupancy_.words_;
    if (occupancy_.forked()) {
      throw Error(
          fmt::format("{} belong to another process, of which this one is a fork: their threads "
                      "are not here. {}, or start processes by spawn",
                      thing, remedy));
    }
    if (occupancy_.used_.exchange(true)) {
      throw Error(fmt::format(
          "another thread is using {}. Let one thread at a time use them, or {}", thing, each));
    }
  }
  ~Caller() { occupancy_.used_ = false; }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

 private:
  Occupancy& occupancy_;
};

}  // namespace tandem::python
