// The replay that actors write and learners read.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "tandem/base/field.h"
#include "tandem/base/random.h"
#include "tandem/base/state.h"
#include "tandem/replay/rate_limiter.h"
#include "tandem/replay/sample_batch.h"
#include "tandem/replay/segment.h"
#include "tandem/replay/transition_index.h"
#include "tandem/sync/annotations.h"
#include "tandem/sync/mutex.h"

namespace tandem {

/// The numbers of a replay, as config keys replay.*. Value type.
struct ReplayConfig {
  std::int64_t capacity = 2'000'000;    // transitions, as trim() leaves them
  std::int64_t min_fill = 50'000;       // before which nothing is sampled
  std::string sampler = "prioritized";  // prioritized, uniform or fifo
  double alpha = 0.6;                   // exponent of priorities
  double beta = 0.4;                    // of importance weights
  std::string remover = "fifo";         // fifo or inverse_priority
  double alpha_evict = -0.4;            // exponent of priorities to be removed
  double samples_per_insert = 0;        // 0: no limit
  double slack = 0;                     // samples that either side may be ahead of that
  std::string compression = "none";     // none, lz4, zstd or png
  std::int64_t segment = 50;            // transitions that an actor sends at a time

  FieldList fields();
};

/// A transition of a segment that a table holds. Value type.
struct KeptTransition {
  std::uint32_t transition = 0;
  float priority = 0;
};

/// Counts of a table that its transitions do not tell. Value type.
struct TableCounts {
  std::int64_t inserted = 0;
  std::int64_t sampled = 0;
  std::int64_t unread = 0;  // of those that the sampler fifo has not given yet
  Stream stream = {};       // of the sampler and the remover
};

/// All that a table holds at one moment, whatever happens to it later. Value type.
struct TableSnapshot {
  FrameFormat format;
  std::vector<TransitionIndex::Found> transitions = {};  // the oldest first
  TableCounts counts = {};
};

/// How a table stands. Value type.
struct TableState {
  std::int64_t transitions = 0;
  std::int64_t inserted = 0;
  std::int64_t sampled = 0;
  std::int64_t stale = 0;  // priorities that came for what was gone
  std::size_t bytes = 0;   // of memory

  [[nodiscard]] double bytes_per_transition() const {
    return transitions == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(transitions);
  }
};

/// Ape-X's replay memory (section 3, appendix F): a sampler, a remover and a rate limiter over
/// transitions whose frames are kept once. Safe to use from many writers and readers at once: the
/// lock is held for keys and priorities only, never while a frame is copied or decompressed.
/// Blocking calls throw Stopped once `stop` is requested.
class Table {
 public:
  /// Throws Error for numbers that do not fit together.
  Table(const ReplayConfig& config, const FrameFormat& format, std::int64_t batch,
        std::uint64_t seed, std::stop_token stop);

  [[nodiscard]] const FrameFormat& format() const { return format_; }

  /// Waits while samples lag behind. A writer calls it before it makes what it will insert;
  /// several that come at once may overshoot by what they make.
  void wait_to_insert();

  /// Adds what an actor made (Algorithm 1, line 11), `copies` times over (appendix A). Throws
  /// Diverged for a priority that is no number of at least 0, and Error where no key is left.
  void insert(std::unique_ptr<Segment> segment, std::int64_t copies = 1);

  /// Draws a batch (Algorithm 2, line 4): proportional prioritization draws from as many equal
  /// parts of the weights as there are samples (Schaul et al., appendix B.2.1); weights are
  /// (1 / (N P(i)))^beta over the largest of the batch (section 3.4 there). Waits until there are
  /// transitions enough.
  void sample(SampleBatch& batch);

  /// New priorities (Algorithm 2, line 8); those of transitions that are gone are ignored. Throws
  /// Diverged for one that is no number of at least 0.
  void update(std::span<const Key> keys, std::span<const float> priorities);

  /// Removes what is more than the capacity (Algorithm 2, line 9).
  void trim();

  [[nodiscard]] TableState state() const;

  /// Holds the lock for as long as a list of all transitions takes, and copies no frame.
  [[nodiscard]] TableSnapshot snapshot() const;

  /// These make an empty table as one was that a snapshot was taken of: the transitions of each
  /// segment that it held, in its order, and then the counts.
  void restore(std::unique_ptr<Segment> segment, std::span<const KeptTransition> kept);
  void restore(const TableCounts& counts);

  /// Of all transitions, in order of their age.
  [[nodiscard]] std::vector<float> priorities() const;

  /// Of `most` transitions or a few less, evenly among all, for a look at how they are spread.
  [[nodiscard]] std::vector<float> priorities(std::int64_t most) const;

 private:
  std::shared_ptr<const Segment> count_bytes(std::unique_ptr<Segment> segment);
  [[nodiscard]] bool may_sample(std::int64_t samples) TANDEM_REQUIRES(mutex_);
  void draw(SampleBatch& batch) TANDEM_REQUIRES(mutex_);
  void weigh(SampleBatch& batch) const;
  [[nodiscard]] bool in_order() const { return config_.sampler == "fifo"; }

  const ReplayConfig config_;
  const FrameFormat format_;
  const std::stop_token stop_;
  std::shared_ptr<std::atomic<std::size_t>> segment_bytes_;
  mutable Mutex mutex_;
  std::condition_variable_any inserted_;
  std::condition_variable_any sampled_;
  TransitionIndex index_ TANDEM_GUARDED_BY(mutex_);
  RateLimiter limiter_ TANDEM_GUARDED_BY(mutex_);
  Stream stream_ TANDEM_GUARDED_BY(mutex_);
  std::int64_t stale_ TANDEM_GUARDED_BY(mutex_) = 0;
};

}  // namespace tandem
