// Messages on their way out of a part of the cluster, and their answers.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tandem/sync/annotations.h"
#include "tandem/sync/mutex.h"

namespace tandem {

/// A message that a carrier takes to its receiver. Value type.
struct Outgoing {
  std::string to;                  // "shard:2", "learner", "actors" for all of them
  std::vector<std::byte> message;  // sealed
  std::int64_t ticket = 0;         // the answer comes back under this number
};

/// Connects a part that computes with a carrier, which may be Ray: the part sends, the carrier
/// takes the messages, brings them to their receivers and comes back with the answers. Safe to use
/// from many threads.
class Mailbox {
 public:
  /// Receives the answer, or nothing if the message or its answer was lost. It runs in a thread of
  /// the carrier, and must not wait. answer() throws the exceptions that it throws.
  using OnAnswer = std::function<void(std::optional<std::span<const std::byte>> answer)>;

  /// Sends a message. An empty `on_answer` ignores the answer.
  void send(std::string to, std::vector<std::byte> message, OnAnswer on_answer);

  /// For the carrier: the oldest message; nothing if none comes within so many seconds, as after
  /// close().
  std::optional<Outgoing> take(double seconds);

  /// For the carrier: hands over the answer to a message, or that there will be none. A second
  /// answer to the same message does nothing.
  void answer(std::int64_t ticket, std::optional<std::span<const std::byte>> answer);

  /// Drops all messages and refuses new ones: each counts as lost. Returns once no OnAnswer runs,
  /// so none must call it.
  void close();

 private:
  void end_answer();

  Mutex mutex_;
  std::condition_variable_any filled_;
  std::deque<Outgoing> waiting_ TANDEM_GUARDED_BY(mutex_);
  std::map<std::int64_t, OnAnswer> open_ TANDEM_GUARDED_BY(mutex_);  // by ticket
  std::int64_t last_ticket_ TANDEM_GUARDED_BY(mutex_) = 0;
  bool closed_ TANDEM_GUARDED_BY(mutex_) = false;
  int answering_ TANDEM_GUARDED_BY(mutex_) = 0;  // calls of OnAnswer that run
  std::condition_variable_any answered_;
};

}  // namespace tandem
