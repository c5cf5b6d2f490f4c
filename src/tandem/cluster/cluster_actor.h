// An actor in a process of its own, far from the learner.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tandem/base/clock.h"
#include "tandem/cluster/cluster_player.h"
#include "tandem/cluster/mailbox.h"
#include "tandem/cluster/message.h"
#include "tandem/cluster/rhythm.h"
#include "tandem/cluster/route.h"
#include "tandem/learn/published_parameters.h"
#include "tandem/sync/annotations.h"
#include "tandem/sync/crew.h"
#include "tandem/sync/mutex.h"

namespace tandem {

/// The settings of an actor. Value type.
struct ClusterActorOptions {
  Sender self;
  std::vector<std::string> receivers = {};  // of what it experiences: "shard:0", ...; or "learner"
  std::size_t parameters = 0;               // how many the network has
  double report_seconds = kReportSeconds;   // between two reports to the learner
  std::int64_t window = 0;                  // the credit that it asks of each receiver
  bool lockstep = false;                    // plays one round for each that the learner orders
};

/// Plays in a thread of its own: renews its parameters when they come, sends what it experiences to
/// the receivers in turn, and reports its play to the learner. Without credit it waits. It holds at
/// most one message to each receiver until that has answered, and sends it again if the answer is
/// lost, so nothing queues without bound. Safe to use from many threads.
class ClusterActor {
 public:
  /// Makes the player in the actor's thread; the copy has the first parameters.
  using MakePlayer = std::function<std::unique_ptr<ClusterPlayer>(const PublishedParameters&)>;

  /// Starts to play as soon as the first parameters have come. A `state` is that of
  /// ClusterPlayer::save(); empty: the games begin anew.
  ClusterActor(const ClusterActorOptions& options, MakePlayer make_player,
               std::vector<std::byte> state);
  ~ClusterActor();
  ClusterActor(const ClusterActor&) = delete;
  ClusterActor& operator=(const ClusterActor&) = delete;

  /// Takes new parameters, and in lockstep the order to play a round with them.
  std::vector<std::byte> deliver(std::span<const std::byte> message);

  /// Its messages, for the carrier.
  [[nodiscard]] Mailbox& mailbox() { return mailbox_; }

  /// Numbers for people: steps, credit, what was sent and came twice, seconds of waiting.
  [[nodiscard]] nlohmann::ordered_json status() const;

  /// Asks it to end.
  void stop();
  /// Whether it has ended, by stop() or by an error.
  [[nodiscard]] bool ended() const;
  /// Rethrows the error that ended it, if there was one; once.
  void raise_error();

 private:
  void run();
  void start();
  void play_on();
  void take_turn();
  void play();
  void wait_for_parameters();
  void send_what_is_packed(bool at_once);
  bool report(bool at_once);
  void hear_receiver(std::size_t route, std::optional<std::span<const std::byte>> answer);
  void hear_learner(std::uint64_t sequence, std::optional<std::span<const std::byte>> answer);
  void wait_for_answers();

  const ClusterActorOptions options_;
  const MakePlayer make_player_;
  std::vector<std::byte> state_;
  Mailbox mailbox_;
  PublishedParameters published_;
  std::unique_ptr<ClusterPlayer> player_;  // the actor's thread uses it alone

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  Sender self_ TANDEM_GUARDED_BY(mutex_);  // with the newest epoch that it has heard of
  std::vector<Route> routes_ TANDEM_GUARDED_BY(mutex_);
  Route to_learner_ TANDEM_GUARDED_BY(mutex_);
  std::size_t turn_ TANDEM_GUARDED_BY(mutex_) = 0;  // the route that comes next
  std::int64_t parameters_version_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::int64_t rounds_ordered_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::int64_t rounds_ TANDEM_GUARDED_BY(mutex_) = 0;         // played so far
  std::int64_t rounds_before_ TANDEM_GUARDED_BY(mutex_) = 0;  // of these, for earlier learners
  bool round_ends_ TANDEM_GUARDED_BY(mutex_) = false;  // one has been played and not been reported
  std::uint64_t state_wanted_ TANDEM_GUARDED_BY(mutex_) = 0;  // the number of a checkpoint
  std::uint64_t state_sent_ TANDEM_GUARDED_BY(mutex_) = 0;    // the last one that has the state
  std::optional<Stopwatch> starting_since_ TANDEM_GUARDED_BY(mutex_);
  std::optional<Stopwatch> playing_since_ TANDEM_GUARDED_BY(mutex_);
  std::string failure_ TANDEM_GUARDED_BY(mutex_);
  std::int64_t steps_ TANDEM_GUARDED_BY(mutex_) = 0;
  double waited_seconds_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::exception_ptr error_ TANDEM_GUARDED_BY(mutex_);
  bool ended_ TANDEM_GUARDED_BY(mutex_) = false;

  // The actor's thread uses these alone.
  ActorPlayed played_;  // since the last report
  Stopwatch since_report_;
  Stopwatch since_packed_;
  double unreported_wait_ = 0;

  Crew crew_;  // last, because its thread uses the members above
};

}  // namespace tandem
