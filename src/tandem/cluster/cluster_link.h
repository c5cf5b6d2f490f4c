// A learner's connection to the other parts of its cluster.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tandem/cluster/mailbox.h"
#include "tandem/cluster/message.h"
#include "tandem/sync/annotations.h"
#include "tandem/sync/mutex.h"
#include "tandem/sync/stop_requested.h"

namespace tandem {

/// Hands the messages that reach a learner to the system that trains there, while it listens, and
/// carries the system's own messages. Safe to use from many threads.
class ClusterLink {
 public:
  /// For a cluster of so many shards.
  ClusterLink(const Sender& self, int shards)
      : self_(self), shards_(shards), sequences_(static_cast<std::size_t>(shards)) {}

  [[nodiscard]] const Sender& self() const { return self_; }
  [[nodiscard]] int shards() const { return shards_; }
  [[nodiscard]] Mailbox& mailbox() { return mailbox_; }

  /// Answers one message. It runs in a thread of the carrier, must not wait, and may throw Error
  /// for a content that it cannot read. A letter with Verb::garbled tells that the sender's message
  /// was damaged, or that its content could not be read: its incarnation may say no more.
  using OnLetter = std::function<std::vector<std::byte>(const Letter& letter)>;

  /// Lets `on_letter` answer from now on; empty: nobody. Returns once no older one runs.
  void listen(OnLetter on_letter);

  /// For the carrier: the answer to a message. It is empty while nobody listens; the sender then
  /// tries again.
  std::vector<std::byte> deliver(std::span<const std::byte> message);

  /// Sends a message and waits for its answer; nothing if it was lost. Throws Stopped soon after
  /// `stop_requested` has returned true.
  std::optional<std::vector<std::byte>> ask(const std::string& to, std::vector<std::byte> message,
                                            const StopRequested& stop_requested);

  /// The number of the next message to a shard, from 1.
  [[nodiscard]] std::uint64_t next_sequence(int shard) {
    return ++sequences_[static_cast<std::size_t>(shard)];
  }

  /// Numbers for people, which the system sets and the carrier reads.
  void set_status(nlohmann::ordered_json status);
  [[nodiscard]] nlohmann::ordered_json status() const;

 private:
  const Sender self_;
  const int shards_;
  Mailbox mailbox_;
  std::vector<std::atomic<std::uint64_t>> sequences_;  // of the last message to each shard
  SharedMutex listening_;
  OnLetter on_letter_ TANDEM_GUARDED_BY(listening_);
  mutable Mutex mutex_;
  nlohmann::ordered_json status_ TANDEM_GUARDED_BY(mutex_) = nlohmann::ordered_json::object();
};

}  // namespace tandem
