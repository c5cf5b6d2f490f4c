// Messages between the parts of a cluster: one buffer of bytes each, whatever carries it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/base/state.h"

namespace tandem {

/// The purpose of a message, or the outcome that an answer reports.
enum class Verb : std::uint32_t {
  insert = 1,      // an actor's transitions or rollouts, for a shard or a learner
  report = 2,      // an actor's play, for the learner
  draw = 3,        // new priorities and an order for samples, for a shard
  save = 4,        // an order for pieces of the replay, for a shard
  restore = 5,     // pieces of a saved replay, for a shard
  parameters = 6,  // new parameters, for actors
  done = 16,       // an answer: the message was new, and has been acted on
  again = 17,      // an answer: the message had come before
  closed = 18,     // an answer: the sender has a successor or was closed, and must end
  past = 19,       // an answer: the message belongs to an older learner, and counts no more
  garbled = 20,    // an answer: the message was damaged on its way, or is none
  failed = 21,     // an answer: the content is an error for the user
};

/// The sender of a message at one time of its life. Value type.
struct Sender {
  std::uint64_t run = 0;          // the run's number
  std::uint32_t epoch = 0;        // the number of the run's learner, counted from 1
  std::uint32_t part = 0;         // the sender's number among all parts of the cluster
  std::uint64_t incarnation = 0;  // grows whenever the part begins anew

  bool operator==(const Sender&) const = default;
};

/// The numbers of a cluster's parts: the learner is 0, then come shards, then actors.
inline constexpr std::uint32_t kLearnerPart = 0;
inline constexpr std::uint32_t kFirstShardPart = 1;
inline constexpr std::uint32_t kFirstActorPart = 0x10000;

/// A message that has been opened. Its content is a view of the message's bytes.
struct Letter {
  Sender from;
  Verb verb = Verb::done;
  std::uint64_t sequence = 0;  // counts the sender's messages to one receiver, from 1
  std::span<const std::byte> content = {};
};

/// A message that is no message of tandem, or was damaged on its way.
class Garbled : public Error {
 public:
  /// `from` is known if the message's head is intact.
  Garbled(const std::string& what, std::optional<Sender> from) : Error(what), from_(from) {}

  /// The sender, if it could still be read.
  [[nodiscard]] const std::optional<Sender>& from() const { return from_; }

 private:
  std::optional<Sender> from_;
};

/// Collects the content of a message in place, and then seals it with its head and checksums. Not
/// thread-safe.
class MessageWriter {
 public:
  MessageWriter(const Sender& from, Verb verb, std::uint64_t sequence = 0);

  /// Takes the content.
  [[nodiscard]] StateWriter& content() { return writer_; }

  /// The whole message. Call it once.
  [[nodiscard]] std::vector<std::byte> seal() &&;

 private:
  Sender from_;
  Verb verb_;
  std::uint64_t sequence_;
  StateWriter writer_;
};

/// Opens a message; its bytes must outlive the letter. Throws Garbled for anything that
/// MessageWriter has not sealed, with overwhelming probability.
[[nodiscard]] Letter open_message(std::span<const std::byte> message);

}  // namespace tandem
