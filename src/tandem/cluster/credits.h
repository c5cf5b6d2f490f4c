// A shard's permissions to insert.
#pragma once

#include <cstdint>
#include <map>

#include "tandem/base/clock.h"

namespace tandem {

/// An actor's account with a shard, as the actor states it in each of its messages. Value type.
struct CreditRequest {
  std::uint32_t actor = 0;  // the actor's part number
  std::int64_t sent = 0;    // transitions in the message
  std::int64_t credit = 0;  // transitions that it may still send after this message
  std::int64_t wish = 0;    // the credit that it would like
};

/// Divides what the learner's rate limiter allows a shard among the actors that insert there.
/// Nobody waits here: an actor without credit asks again later. The actor's own word about its
/// credit counts, so an answer that gets lost leaves no wrong balance. The credit of an actor that
/// has been silent for long is free again, as is the allowance of a learner that has. Not
/// thread-safe.
class Credits {
 public:
  /// Accounts and allowances end after so many seconds without a word.
  explicit Credits(double patience_seconds = 10) : patience_seconds_(patience_seconds) {}

  /// Replaces the allowance: so many transitions may come from now on, those that actors have
  /// credit for included.
  void allow(std::int64_t transitions);

  /// Books what an actor has sent, and raises its credit to its wish if the allowance is enough, or
  /// as far as it goes. Returns by how much. An actor that begins anew has no credit, so that of
  /// its last incarnation is free again.
  std::int64_t grant(const CreditRequest& request);

 private:
  struct Account {
    std::int64_t credit = 0;
    Stopwatch since_word = {};
  };

  [[nodiscard]] std::int64_t in_hand();

  const double patience_seconds_;
  std::int64_t allowed_ = 0;  // of the allowance, what has not come yet
  Stopwatch since_allowance_;
  std::map<std::uint32_t, Account> accounts_;  // by actor
};

}  // namespace tandem
