// A worker process and the ways to talk to it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tandem/base/descriptor.h"
#include "tandem/env/gym/worker_process.h"

namespace tandem {

/// A Python process that steps some environments of a group. Not thread-safe.
class Worker {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// A message of the worker. Value type.
  struct Message {
    nlohmann::json content;
    std::vector<std::uint8_t> picture;  // may be empty
  };

  /// Set once nobody waits any more.
  using Abandoned = std::shared_ptr<const std::atomic<bool>>;

  /// Starts it. `start` and `memory` are descriptors: the text of its work, and the shared memory.
  /// Throws Error when it cannot be started.
  Worker(const std::string& python, const std::string& title, int start, int memory,
         Abandoned abandoned);

  /// Tells it that there are requests in the shared memory.
  void ring() const;
  /// A descriptor that is readable when the worker has rung.
  [[nodiscard]] int rung() const { return answers_.get(); }
  /// Makes rung() unreadable until the worker rings again.
  void take_ring() const;

  void send(const nlohmann::json& content) const;
  /// Waits for a message. Throws Error, which says how the worker failed, when it ends, is silent
  /// until the deadline or is abandoned; it is then of no more use.
  [[nodiscard]] Message receive(Time deadline);

  [[nodiscard]] WorkerProcess& process() { return process_; }

 private:
  using Socket = std::pair<Descriptor, Descriptor>;  // our end, and that of the worker
  static Socket make_socket();
  Worker(const std::string& python, const std::string& title, int start, int memory, Socket socket,
         Abandoned abandoned);

  void read(Time& deadline, void* data, std::size_t bytes);
  void wait_for_data(Time& deadline);

  Descriptor requests_;
  Descriptor answers_;
  Descriptor control_;
  WorkerProcess process_;
  Abandoned abandoned_;
};

}  // namespace tandem
