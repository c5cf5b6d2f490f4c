// The exception types for problems that the user can solve.
#pragma once

#include <stdexcept>

namespace tandem {

/// A problem that the user can solve: a bad config, a missing ROM, a full disk. The message says
/// what is wrong, where, and what to do. The program prints it once and exits with code 2, as for
/// errors of the file system and a lack of memory or threads (mendable.h). Every other exception is
/// a bug, and the program exits with code 1. Value type, thread-safe like any exception.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user has stopped a measurement, so it has no result.
class Interrupted : public Error {
 public:
  Interrupted() : Error("interrupted; there is no result") {}
};

/// Training has diverged: its parameters, or numbers computed from them, are no longer finite.
class Diverged : public Error {
 public:
  using Error::Error;
};

}  // namespace tandem
