// The answers to an actor's messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace tandem {

/// A receiver's answer to a message with transitions. Value type.
struct ReceiverAnswer {
  std::optional<std::int64_t> granted = {};  // credit; none: the message is as good as lost
  bool repeated = false;                     // the receiver had the message already
  std::string failure = {};                  // why the actor cannot go on; empty: it can
};

/// The learner's answer to a report. Value type.
struct LearnerAnswer {
  bool heard = false;        // it has the report, or needs it no more
  std::uint32_t epoch = 0;   // of the learner that answers
  std::uint64_t wanted = 0;  // the number of the checkpoint for which it wants the actor's state
  std::string failure = {};  // as above
};

/// Reads a receiver's answer, which may grant `window` transitions at most. An answer that was lost
/// or cannot be read grants nothing.
ReceiverAnswer read_receiver_answer(std::optional<std::span<const std::byte>> answer,
                                    std::int64_t window);

/// Reads the learner's answer. One that was lost or cannot be read counts as not heard.
LearnerAnswer read_learner_answer(std::optional<std::span<const std::byte>> answer);

}  // namespace tandem
