// A receiver's memory of the messages that it has had.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "tandem/cluster/message.h"

namespace tandem {

/// Lets each message count once. Messages of one sender may overtake each other a little, come
/// twice, or come after a newer incarnation of the sender has spoken. Not thread-safe.
class Receipts {
 public:
  /// A message that comes after so many later ones counts as one that has come before.
  static constexpr std::uint64_t kWindow = 1024;

  /// Records the message. Returns Verb::done if it is new, Verb::again if it has come before, and
  /// Verb::closed if its sender has been closed or has a newer incarnation. A receiver that is
  /// younger than the sender takes the sender's numbers up where they are.
  Verb take(const Letter& letter);

  /// Refuses all further messages of this incarnation.
  void close(const Sender& sender);

 private:
  /// One sender's messages. All up to `before` count as had.
  struct Had {
    std::uint64_t incarnation = 0;
    bool closed = false;
    std::uint64_t before = 0;
    std::set<std::uint64_t> lately = {};
  };

  Had& of(const Sender& sender);

  std::map<std::uint32_t, Had> had_;  // by the sender's part
};

}  // namespace tandem
