// The transitions of a table, with each one's probability of being drawn or removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tandem/replay/segment.h"
#include "tandem/replay/sum_tree.h"

namespace tandem {

/// The permanent name of a transition, which no other transition ever gets.
using Key = std::uint64_t;

/// The transitions of segments, each in a slot with its priority: Ape-X, appendix F, "Sampling
/// data". A segment lives as long as one of its transitions, or as long as a reader uses it. Not
/// thread-safe; the table's lock guards it.
class TransitionIndex {
 public:
  /// How transitions are drawn and removed. Value type.
  struct Options {
    double alpha = 0.6;                      // exponent of priorities for sampling; 0: uniform
    std::optional<double> alpha_evict = {};  // the same for removal; empty: removes the oldest
                                             // first
    bool in_order = false;                   // whether next() will be called; not with alpha_evict
  };

  /// One transition, and a pointer that keeps it alive.
  struct Found {
    /// The segment that it is in.
    std::shared_ptr<const Segment> segment;
    std::uint32_t transition = 0;  // its index in the segment
    Key key = 0;                   // its name
    float priority = 0;            // at the time of the call
    double probability = 0;        // of being drawn by draw()

    /// The transition itself.
    [[nodiscard]] const Transition& of() const { return segment->transitions()[transition]; }
  };

  /// An empty index.
  explicit TransitionIndex(const Options& options);

  /// The number of transitions.
  [[nodiscard]] std::int64_t size() const { return size_; }

  /// The sum of the weights by which draw() draws.
  [[nodiscard]] double mass() const { return sampling_.total(); }

  /// The size of the index in memory, in bytes, without the segments.
  [[nodiscard]] std::size_t bytes() const;

  /// Adds all transitions of a segment, with their first priorities.
  void add(const std::shared_ptr<const Segment>& segment);
  /// Adds one transition of a segment, with this priority.
  void add(const std::shared_ptr<const Segment>& segment, std::uint32_t transition, float priority);

  /// The places of all transitions, which decide the one that a share draws. Value type.
  struct Layout {
    std::int64_t added = 0;                // transitions ever
    std::uint64_t slots = 0;               // places
    std::vector<std::uint32_t> free = {};  // the empty ones, in the order of their use
  };
  /// The present layout.
  [[nodiscard]] Layout layout() const;

  /// Two functions restore an empty index. First this one, with the layout that it had.
  void restore(const Layout& layout);
  /// Then this one for each transition, the oldest first, with the key that it had.
  void restore(const std::shared_ptr<const Segment>& segment, std::uint32_t transition,
               float priority, Key key);

  /// Draws the transition at which the cumulative sum of the weights exceeds this share, in [0, 1),
  /// of their total. The index must not be empty.
  [[nodiscard]] Found draw(double share) const;

  /// The oldest transition that next() has not returned yet. There must be one.
  Found next();

  /// The number of transitions that next() has not returned yet; 0 unless in_order.
  [[nodiscard]] std::int64_t unread() const;

  /// Forgets the removed transitions that next() never returned, and returns their number.
  std::int64_t forget_removed();

  /// Gives transitions new priorities. Skips removed transitions, and returns their number.
  std::int64_t update(std::span<const Key> keys, std::span<const float> priorities);

  /// Removes the oldest transition or, with alpha_evict, the one that draw() would give for this
  /// share of the weights for removal. The index must not be empty. Returns the transition's
  /// segment, so that the caller can release it outside the lock.
  [[nodiscard]] std::shared_ptr<const Segment> remove(double share);

  /// The priorities of at most `most` transitions, evenly spaced.
  [[nodiscard]] std::vector<float> priorities(std::int64_t most) const;

  /// All transitions, the oldest first.
  [[nodiscard]] std::vector<Found> all() const;

  /// The number of this transition, counted from 0 in the order of insertion.
  [[nodiscard]] static std::int64_t serial(Key key) {
    return static_cast<std::int64_t>(key >> kSlotBits);
  }
  /// The number of transitions ever added, including removed ones.
  [[nodiscard]] std::int64_t added() const { return added_; }

 private:
  struct Slot {
    std::shared_ptr<const Segment> segment;  // null: the slot is empty
    Key key = 0;
    std::uint32_t transition = 0;
    float priority = 0;
  };

  // A key combines the number of the transition and its slot. It has bits for 10^12 numbers and 16
  // million slots.
  static constexpr int kSlotBits = 24;
  static constexpr Key kSlotMask = (Key{1} << kSlotBits) - 1;

  [[nodiscard]] bool holds(Key key) const;
  [[nodiscard]] Found found(std::size_t slot) const;
  std::size_t free_slot();
  void make_slots(std::size_t slots);
  void put(std::size_t slot, Slot held, float priority);
  void weigh(std::size_t slot, float priority);
  std::int64_t drop_gone(std::deque<Key>& keys) const;

  Options options_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;  // empty slots
  std::deque<Key> order_;            // in the order of insertion; may hold removed transitions
  std::deque<Key> unread_;           // not yet returned by next(); may hold removed transitions
  SumTree sampling_;
  SumTree removal_;  // unused if the oldest are removed first
  std::int64_t size_ = 0;
  std::int64_t added_ = 0;
};

}  // namespace tandem
