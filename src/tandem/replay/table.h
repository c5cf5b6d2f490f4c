// The replay, which actors write and learners read.
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
  std::int64_t capacity = 2'000'000;    // transitions that trim() leaves
  std::int64_t min_fill = 50'000;       // transitions that must be there before the first sample
  std::string sampler = "prioritized";  // prioritized, uniform or fifo
  double alpha = 0.6;                   // exponent of priorities
  double beta = 0.4;                    // exponent of importance weights
  std::string remover = "fifo";         // fifo or inverse_priority
  double alpha_evict = -0.4;            // exponent of priorities for removal
  double samples_per_insert = 0;        // 0: no limit
  double slack = 0;                     // samples by which either side may be ahead of that
  std::string compression = "none";     // none, lz4, zstd or png
  std::int64_t segment = 50;            // transitions that an actor sends at a time

  FieldList fields();
};

/// A transition of a segment that a table holds. Value type.
struct KeptTransition {
  std::uint32_t transition = 0;
  float priority = 0;
};

/// Counts of a table that do not follow from its transitions. Value type.
struct TableCounts {
  std::int64_t inserted = 0;
  std::int64_t sampled = 0;
  std::int64_t unread = 0;  // transitions that the sampler fifo has not given yet
  Stream stream = {};       // used by the sampler and the remover
};

/// The content of a table at one moment, independent of its later changes. Value type.
struct TableSnapshot {
  FrameFormat format;
  std::vector<TransitionIndex::Found> transitions = {};  // the oldest first
  TableCounts counts = {};
};

/// The state of a table in numbers. Value type.
struct TableState {
  std::int64_t transitions = 0;
  std::int64_t inserted = 0;
  std::int64_t sampled = 0;
  std::int64_t stale = 0;  // new priorities of transitions that were removed already
  std::size_t bytes = 0;   // of memory

  [[nodiscard]] double bytes_per_transition() const {
    return transitions == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(transitions);
  }
};

/// Ape-X's replay memory (section 3, appendix F): a sampler, a remover and a rate limiter over
/// transitions whose frames are kept once. Many writers and readers may use it at once: the lock is
/// held for keys and priorities only, never while a frame is copied or decompressed. Blocking calls
/// throw Stopped once `stop` is requested.
class Table {
 public:
  /// Throws Error for numbers that do not fit together.
  Table(const ReplayConfig& config, const FrameFormat& format, std::int64_t batch,
        std::uint64_t seed, std::stop_token stop);

  [[nodiscard]] const FrameFormat& format() const { return format_; }

  /// Waits while samples lag behind. A writer calls it before it makes the transitions of its next
  /// insert. Several writers that pass at once may overshoot by what they then make.
  void wait_to_insert();

  /// Adds an actor's segment (Algorithm 1, line 11), `copies` times (appendix A). Throws Diverged
  /// for a priority that is negative or NaN, and Error when keys are used up.
  void insert(std::unique_ptr<Segment> segment, std::int64_t copies = 1);

  /// Draws a batch (Algorithm 2, line 4). Proportional prioritization divides the weights into as
  /// many equal parts as there are samples and draws one from each (Schaul et al., appendix B.2.1).
  /// Importance weights are (1 / (N P(i)))^beta over the largest of the batch (section 3.4 there).
  /// Waits until there are enough transitions.
  void sample(SampleBatch& batch);

  /// Sets new priorities (Algorithm 2, line 8); it ignores those of removed transitions. Throws
  /// Diverged for a priority that is negative or NaN.
  void update(std::span<const Key> keys, std::span<const float> priorities);

  /// Removes the transitions beyond the capacity (Algorithm 2, line 9).
  void trim();

  [[nodiscard]] TableState state() const;

  /// Holds the lock only while it lists all transitions, and copies no frame.
  [[nodiscard]] TableSnapshot snapshot() const;

  /// These two rebuild the table of a snapshot in an empty one: first, for each segment in order,
  /// the transitions that the table held of it, and then the counts.
  void restore(std::unique_ptr<Segment> segment, std::span<const KeptTransition> kept);
  void restore(const TableCounts& counts);

  /// The priorities of all transitions, in order of their age.
  [[nodiscard]] std::vector<float> priorities() const;

  /// The priorities of `most` transitions or a few less, evenly spaced, to show their distribution.
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
