// The replay, which actors write and learners read.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <optional>
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

/// The settings of a replay, as config keys replay.*. Value type.
struct ReplayConfig {
  std::int64_t capacity = 2'000'000;    // the most transitions that trim() leaves
  std::int64_t min_fill = 50'000;       // transitions that must be there before the first sample
  std::string sampler = "prioritized";  // prioritized, uniform or fifo
  double alpha = 0.6;                   // exponent of priorities for sampling
  double beta = 0.4;                    // exponent of importance weights
  std::string remover = "fifo";         // fifo or inverse_priority
  double alpha_evict = -0.4;            // exponent of priorities for removal
  double samples_per_insert = 0;        // 0: no limit
  double slack = 0;                     // samples by which writers or readers may be ahead
  std::string compression = "none";     // none, lz4, zstd or png
  std::int64_t segment = 50;            // transitions that an actor sends at a time

  FieldList fields();

  /// Throws Error for settings that do not go together.
  void check() const;
};

/// A transition that a table holds, by its index in its segment. Value type.
struct KeptTransition {
  std::uint32_t transition = 0;
  float priority = 0;
  std::optional<Key> key = {};  // empty: of an older version, which did not keep it
};

/// The state of a table apart from its transitions. Value type.
struct TableCounts {
  std::int64_t inserted = 0;
  std::int64_t sampled = 0;
  std::int64_t unread = 0;  // transitions that the sampler fifo has not drawn yet
  Stream stream = {};       // random numbers of the sampler and the remover
};

/// The content of a table at one moment, independent of its later changes. Value type.
struct TableSnapshot {
  FrameFormat format;
  std::vector<TransitionIndex::Found> transitions = {};  // the oldest first
  TableCounts counts = {};
  TransitionIndex::Layout layout = {};
};

/// Transitions that a table has drawn, with their frames where they lie. Value type.
struct DrawnTransitions {
  std::vector<TransitionIndex::Found> found = {};
  std::int64_t added = 0;  // transitions inserted so far
};

/// Statistics of a table. Value type.
struct TableState {
  std::int64_t transitions = 0;
  std::int64_t inserted = 0;
  std::int64_t sampled = 0;
  std::int64_t stale = 0;  // new priorities that came after their transitions' removal
  std::size_t bytes = 0;   // size in memory
  double mass = 0;         // the sum of the weights by which transitions are drawn

  [[nodiscard]] double bytes_per_transition() const {
    return transitions == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(transitions);
  }
};

/// Ape-X's replay memory (section 3, appendix F): a sampler, a remover and a rate limiter over
/// transitions whose frames are stored once. Many writers and readers may use it at once: the lock
/// is held for keys and priorities only, never while a frame is copied or decompressed. Blocking
/// calls throw Stopped once `stop` is requested.
class Table {
 public:
  /// For batches of `batch` samples. Throws Error for settings that do not fit together.
  Table(const ReplayConfig& config, const FrameFormat& format, std::int64_t batch,
        std::uint64_t seed, std::stop_token stop);

  [[nodiscard]] const FrameFormat& format() const { return format_; }

  /// A moment at which a call gives up waiting.
  using Deadline = std::chrono::steady_clock::time_point;

  /// Throws Error if a reader of batches of this size could wait for ever. The constructor calls it
  /// for its batch; readers of other batches call it themselves.
  void require_batch(std::int64_t batch) const;

  /// Waits while readers lag behind. A writer calls it before it makes the transitions of its next
  /// insert. If several writers pass at once, their inserts may exceed the limit.
  void wait_to_insert();
  /// The same until `deadline` at most. Returns whether an insert is allowed.
  bool wait_to_insert(Deadline deadline);

  /// Adds an actor's segment (Algorithm 1, line 11), `copies` times (appendix A). Throws Diverged
  /// for a priority that is negative or not finite, and Error beyond 16 million transitions.
  void insert(std::unique_ptr<Segment> segment, std::int64_t copies = 1);

  /// Draws a batch (Algorithm 2, line 4). Proportional prioritization divides the weights into as
  /// many equal parts as there are samples and draws one sample from each (Schaul et al., appendix
  /// B.2.1). Importance weights are (1 / (N P(i)))^beta, divided by the largest of the batch
  /// (section 3.4 there). Waits until there are enough transitions and the rate limiter allows the
  /// samples.
  void sample(SampleBatch& batch);
  /// The same, but waits until `deadline` at most. Returns whether it drew a batch.
  bool sample(SampleBatch& batch, Deadline deadline);

  /// Draws as sample() does, but copies no frames and does not wait: it draws nothing if it would
  /// have to. Computes no importance weights.
  [[nodiscard]] DrawnTransitions draw(std::int64_t samples);

  /// Gives transitions new priorities (Algorithm 2, line 8). Skips removed transitions, but counts
  /// them in TableState::stale. Throws Diverged for a priority that is negative or not finite.
  void update(std::span<const Key> keys, std::span<const float> priorities);

  /// Removes the transitions beyond the capacity (Algorithm 2, line 9).
  void trim();

  [[nodiscard]] TableState state() const;

  /// Copies the state, but no frames; holds the lock meanwhile.
  [[nodiscard]] TableSnapshot snapshot() const;

  /// Three functions restore a snapshot in an empty table. Call the first one if the snapshot has a
  /// layout. Call the second one for each segment in order, with the transitions that the saved
  /// table held of it. Then call the third one once.
  void restore(const TransitionIndex::Layout& layout);
  void restore(std::unique_ptr<Segment> segment, std::span<const KeptTransition> kept);
  void restore(const TableCounts& counts);

  /// The priorities of all transitions, in order of their age.
  [[nodiscard]] std::vector<float> priorities() const;

  /// The priorities of at most `most` transitions, evenly spaced, to show their distribution.
  [[nodiscard]] std::vector<float> priorities(std::int64_t most) const;

 private:
  std::shared_ptr<const Segment> count_bytes(std::unique_ptr<Segment> segment);
  [[nodiscard]] bool may_sample(std::int64_t samples) TANDEM_REQUIRES(mutex_);
  [[nodiscard]] bool may_insert() const TANDEM_REQUIRES(mutex_);
  std::int64_t draw_into(std::span<TransitionIndex::Found> drawn) TANDEM_REQUIRES(mutex_);
  void read(SampleBatch& batch, std::int64_t added);
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
