// A process that runs a worker in Python.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "tandem/base/descriptor.h"

namespace tandem {

/// A Python interpreter that runs the code of the folder tandem_worker. It has a process group of
/// its own, so that Ctrl-C ends the trainer and not the workers before it. It dies with this object
/// and with the process that made it, also when that is killed and when it is stuck in a step
/// (boot.py). Its standard output goes to the standard error. Nothing here changes the signals of
/// the process around it. Not thread-safe.
class WorkerProcess {
 public:
  /// The descriptors that the worker gets; its numbers for them are those of boot.py.
  struct Channels {
    int start;     // a file with the text of its work, JSON
    int memory;    // the shared memory
    int requests;  // an eventfd by which the group rings
    int answers;   // an eventfd by which the worker rings
    int control;   // a socket for messages
  };

  /// Starts the interpreter; `title` is what `ps` shows. Throws Error when it cannot be started.
  WorkerProcess(const std::string& python, const std::string& title, const Channels& channels);
  /// Kills it, with all processes of its group.
  ~WorkerProcess();
  WorkerProcess(WorkerProcess&&) = delete;
  WorkerProcess& operator=(WorkerProcess&&) = delete;

  /// A descriptor that is readable once the process has ended.
  [[nodiscard]] int ended() const { return pidfd_.get(); }
  [[nodiscard]] pid_t id() const { return id_; }
  /// Whether this process has started it, and not the one that has forked this process.
  [[nodiscard]] bool is_own() const;

  /// Waits for its end until then; returns whether it has ended.
  bool wait_until(std::chrono::steady_clock::time_point deadline);

  /// Kills it if it still runs, and says how it ended: "was killed by signal 9 (SIGKILL)".
  std::string end();

 private:
  void start(const std::string& python, const std::string& title, const Channels& channels,
             int life);

  pid_t id_ = -1;
  Descriptor pidfd_;
  Descriptor life_;    // closes when this process ends, however it does
  pid_t parent_ = -1;  // a process that this one has forked leaves the worker alone
  bool reaped_ = false;
};

}  // namespace tandem
