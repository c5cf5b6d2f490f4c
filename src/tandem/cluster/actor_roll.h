// The actors of a cluster, as their learner hears of them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <span>
#include <stop_token>
#include <vector>

#include "tandem/base/clock.h"
#include "tandem/cluster/cluster_player.h"
#include "tandem/cluster/message.h"
#include "tandem/cluster/receipts.h"
#include "tandem/run/checkpoint.h"
#include "tandem/sync/annotations.h"
#include "tandem/sync/mutex.h"

namespace tandem {

/// Takes the actors' reports, each once, and gathers their states for checkpoints. Safe to use from
/// many threads.
class ActorRoll {
 public:
  /// Receives what an actor has played, and how many rounds it has played in all.
  using OnPlayed = std::function<void(ActorPlayed played, std::int64_t rounds)>;

  /// For `actors` actors of `envs` environments each, at the learner `self`.
  ActorRoll(const Sender& self, int actors, int envs, OnPlayed on_played);

  /// Takes a report, and returns the answer, which may ask for the actor's state. After a garbled
  /// letter it takes nothing more from this incarnation of an actor. Throws Error for a content
  /// that no actor of this run makes.
  std::vector<std::byte> hear(const Letter& letter);

  /// Asks the actors for their states, by the answers to their next reports.
  void want_states();
  /// The number of this question; the actors repeat it with their states.
  [[nodiscard]] std::uint64_t states_wanted() const;
  /// Asks for the states, and waits until every actor that has spoken in the last ten has sent its
  /// own, but ten seconds at most, and not beyond a stop.
  void gather_states(const std::stop_token& stop);
  /// Waits until this actor has sent its state, but `most` at most. Returns whether it has.
  bool await_state_of(int rank, std::chrono::seconds most);

  /// Puts the states that came last into a checkpoint, as those of one machine's actors. An actor
  /// that has sent none keeps its state of `resume`, which may be null.
  void save(const Checkpoint* resume, Checkpoint& checkpoint) const;

  /// Throws the error with which the run took a report, if there was one, once.
  void raise_error();

  /// Actors that have spoken in the last seconds.
  [[nodiscard]] int alive() const;
  /// The updates by which the oldest parameters of these actors are behind version `newest`.
  [[nodiscard]] std::int64_t lag(std::int64_t newest) const;

 private:
  struct Entry {
    Stopwatch since_word;
    std::int64_t version = 0;        // of its parameters
    std::uint64_t state_number = 0;  // of the checkpoint that the state was sent for
    std::vector<std::byte> state = {};
  };

  std::vector<std::byte> take_report(const Letter& letter);
  /// Keeps an actor's state for the checkpoint of this number.
  void keep(int rank, std::uint64_t number, std::span<const std::byte> state);
  [[nodiscard]] bool all_sent() const TANDEM_REQUIRES(mutex_);
  ActorPlayed read_played(StateReader& reader, int rank) const;

  const Sender self_;
  const int actors_;
  const int envs_;
  const OnPlayed on_played_;
  mutable Mutex mutex_;
  Receipts receipts_ TANDEM_GUARDED_BY(mutex_);
  std::map<int, Entry> entries_ TANDEM_GUARDED_BY(mutex_);  // by rank
  std::uint64_t wanted_ TANDEM_GUARDED_BY(mutex_) = 0;      // the number of the last checkpoint
  std::exception_ptr error_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem
