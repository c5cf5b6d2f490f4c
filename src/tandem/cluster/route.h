// An actor's way to one receiver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tandem/base/clock.h"

namespace tandem {

/// The state of the messages to one receiver. A message stays until its answer has come, so that it
/// can be sent again. Value type.
struct Route {
  std::uint64_t sequence = 0;             // of the last message
  std::int64_t credit = 0;                // units that may still be sent
  std::vector<std::byte> under_way = {};  // the message that has not been answered; empty: none
  bool lost = false;                      // whether it must be sent again
  double pause_seconds = 0.02;            // between two questions for credit
  Stopwatch since = {};                   // since it was sent, or since the last answer
  std::int64_t sent = 0;                  // units in all messages
  std::int64_t sent_bytes = 0;            // of all messages, each counted once
  std::int64_t unheard = 0;               // times that no answer came
  std::int64_t repeated = 0;              // answers that a message had come before

  [[nodiscard]] bool free() const { return under_way.empty(); }
};

}  // namespace tandem
