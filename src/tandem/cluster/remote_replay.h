// A learner's view of a replay whose shards lie in other processes.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "tandem/base/clock.h"
#include "tandem/base/random.h"
#include "tandem/cluster/cluster_link.h"
#include "tandem/cluster/draw.h"
#include "tandem/replay/rate_limiter.h"
#include "tandem/replay/sample_batch.h"
#include "tandem/replay/table.h"
#include "tandem/sync/annotations.h"
#include "tandem/sync/mutex.h"

namespace tandem {

/// The settings of a remote replay. Value type.
struct RemoteReplayOptions {
  ReplayConfig replay;
  FrameFormat format;
  std::int64_t num_actions = 0;  // discrete ones; 0: continuous
  std::int64_t batch = 512;      // samples of a batch
  std::int64_t batches = 18;     // that are drawn, wait or are learned from at a time
  std::uint64_t seed = 1;        // of the division of batches among shards
};

/// A batch whose samples come from several shards.
struct RemoteBatch {
  /// The samples of one shard, [first, first + count).
  struct Part {
    int shard = 0;
    std::uint64_t incarnation = 0;  // of the shard; 0: the answer has not come
    std::size_t first = 0;
    std::size_t count = 0;
    double share = 0;        // of the shard's mass in that of all shards
    std::int64_t added = 0;  // transitions inserted in the shard when it drew
  };

  SampleBatch samples;
  std::vector<Part> parts = {};
  int awaited = 0;    // answers that have not come
  bool lost = false;  // whether a part of it will never come
};

/// Draws batches from all shards as from one table (see divide_batch()), weighs them by the masses
/// of all, and counts inserts and samples in one rate limiter, whose room it divides among the
/// shards. A shard that was lost counts as empty until its successor answers. Safe to use from many
/// threads; run() belongs to one.
class RemoteReplay {
 public:
  /// Blocking calls throw Stopped once `stop` is requested. `link` must outlive this, and this the
  /// answers: close the link's mailbox first.
  RemoteReplay(const RemoteReplayOptions& options, ClusterLink& link, std::stop_token stop);

  /// Orders batches ahead of the learner, unpacks them and keeps up with the shards until it is
  /// stopped.
  void run();

  /// Waits for the next batch that is complete.
  std::shared_ptr<RemoteBatch> next();

  /// Gives the shards the new priorities of a batch (Algorithm 2, line 8) with the next orders, and
  /// lets the batch be used again.
  void update(std::shared_ptr<RemoteBatch> batch);

  /// Orders all shards to remove what is beyond the capacity (line 9).
  void trim();

  /// The sums over all shards.
  [[nodiscard]] TableState state() const;
  /// About `most` priorities of all shards, as they last showed them.
  [[nodiscard]] std::vector<float> priorities() const;
  /// Batches that wait for the learner.
  [[nodiscard]] std::size_t ahead() const;

  /// Batches that were drawn anew because a part of them was lost.
  [[nodiscard]] std::int64_t lost_batches() const;

  /// The counts of inserts and samples, for a checkpoint. "inserted" counts a shard's predecessors,
  /// too, and "held" only what the shard itself has received or was restored with.
  [[nodiscard]] nlohmann::json save() const;
  /// Goes on from saved counts. Inserts that the shards received since then do not count.
  void restore(const nlohmann::json& saved);

 private:
  /// A shard as its last answer described it.
  struct Known {
    ShardState state;
    std::vector<float> shown = {};
    std::int64_t lost_inserts = 0;                        // of earlier incarnations
    std::optional<std::int64_t> restored = std::nullopt;  // all inserts, before the first answer
    int under_way = 0;                                    // messages that have not been answered
    Stopwatch since_message;
    DrawOrder next;  // collects the priorities for the next order
  };
  struct Letterbag;

  void look_after_all(Letterbag& bag) TANDEM_REQUIRES(mutex_);
  bool may_draw() TANDEM_REQUIRES(mutex_);
  void draw(Letterbag& bag) TANDEM_REQUIRES(mutex_);
  void order(int shard, std::uint32_t samples, std::shared_ptr<RemoteBatch> batch, std::size_t part,
             Letterbag& bag) TANDEM_REQUIRES(mutex_);
  void hear(int shard, const std::shared_ptr<RemoteBatch>& batch, std::size_t part,
            std::optional<std::span<const std::byte>> answer);
  void know(int shard, std::optional<DrawAnswer> answer) TANDEM_REQUIRES(mutex_);
  void complete(std::shared_ptr<RemoteBatch> batch) TANDEM_REQUIRES(mutex_);
  void lose(std::shared_ptr<RemoteBatch> batch) TANDEM_REQUIRES(mutex_);
  void unpack(std::shared_ptr<RemoteBatch> batch);
  void weigh(RemoteBatch& batch) const;
  [[nodiscard]] static std::int64_t inserts_of(const Known& known);
  [[nodiscard]] std::int64_t size() const TANDEM_REQUIRES(mutex_);
  void count() TANDEM_REQUIRES(mutex_);

  const RemoteReplayOptions options_;
  ClusterLink& link_;
  const std::stop_token stop_;
  mutable Mutex mutex_;
  std::condition_variable_any changed_;  // something for run() to do
  std::condition_variable_any drawn_;    // a batch is ready
  std::vector<Known> shards_ TANDEM_GUARDED_BY(mutex_);
  RateLimiter limiter_ TANDEM_GUARDED_BY(mutex_);
  std::int64_t sampled_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::int64_t lost_batches_ TANDEM_GUARDED_BY(mutex_) = 0;
  Stream stream_ TANDEM_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<RemoteBatch>> unused_ TANDEM_GUARDED_BY(mutex_);
  std::deque<std::shared_ptr<RemoteBatch>> packed_ TANDEM_GUARDED_BY(mutex_);  // complete
  std::deque<std::shared_ptr<RemoteBatch>> ready_ TANDEM_GUARDED_BY(mutex_);
  bool superseded_ TANDEM_GUARDED_BY(mutex_) = false;  // a newer learner has spoken to a shard
};

}  // namespace tandem
