// The transitions of a table, and each one's chance to be drawn or removed.
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

/// The permanent name of a transition: it never comes to mean another one.
using Key = std::uint64_t;

/// The transitions of segments, each in a slot with its priority: Ape-X, appendix F, "Sampling
/// data". A segment lives as long as one of its transitions, or as long as somebody reads it. Not
/// thread-safe: the table's lock guards it.
class TransitionIndex {
 public:
  /// How transitions are drawn and removed. Value type.
  struct Options {
    double alpha = 0.6;                      // exponent of priorities for sampling; 0: uniform
    std::optional<double> alpha_evict = {};  // the same for removal; empty: removes the oldest
                                             // first
    bool in_order = false;                   // whether next() is called; not with alpha_evict
  };

  /// One transition, and a pointer that keeps it alive.
  struct Found {
    /// The segment that it is in.
    std::shared_ptr<const Segment> segment;
    std::uint32_t transition = 0;  // its place in the segment
    Key key = 0;                   // its name
    float priority = 0;            // as it is now
    double probability = 0;        // of being drawn

    /// The transition itself.
    [[nodiscard]] const Transition& of() const { return segment->transitions()[transition]; }
  };

  /// An empty index.
  explicit TransitionIndex(const Options& options);

  /// The number of transitions.
  [[nodiscard]] std::int64_t size() const { return size_; }

  /// Memory of the index alone.
  [[nodiscard]] std::size_t bytes() const;

  /// Adds all transitions of a segment with the priorities they came with.
  void add(const std::shared_ptr<const Segment>& segment);
  /// Adds one transition of a segment, with this priority.
  void add(const std::shared_ptr<const Segment>& segment, std::uint32_t transition, float priority);

  /// The transition at a share of [0, 1) of all weights. The index must not be empty.
  [[nodiscard]] Found draw(double share) const;

  /// The oldest transition that next() has not given yet. There must be one.
  Found next();

  /// The number of transitions that next() has not given yet.
  [[nodiscard]] std::int64_t unread() const;

  /// Gives transitions new priorities. Some of them may be gone by now; returns how many were.
  std::int64_t update(std::span<const Key> keys, std::span<const float> priorities);

  /// Removes the oldest transition or, with alpha_evict, the one at a share of [0, 1) of the
  /// weights for removal. There must be one. Release the segment outside the lock.
  [[nodiscard]] std::shared_ptr<const Segment> remove(double share);

  /// The priorities of at most `most` transitions, evenly spaced.
  [[nodiscard]] std::vector<float> priorities(std::int64_t most) const;

  /// All transitions, the oldest first.
  [[nodiscard]] std::vector<Found> all() const;

  /// The number of this transition among all that were ever added.
  [[nodiscard]] static std::int64_t serial(Key key) {
    return static_cast<std::int64_t>(key >> kSlotBits);
  }
  /// Transitions ever added, those that are gone included.
  [[nodiscard]] std::int64_t added() const { return added_; }

 private:
  struct Slot {
    std::shared_ptr<const Segment> segment;  // null: the slot is empty
    Key key = 0;
    std::uint32_t transition = 0;
    float priority = 0;
  };

  // A key holds the number of the transition and its slot: room for 16 million slots and 10^12
  // numbers.
  static constexpr int kSlotBits = 24;
  static constexpr Key kSlotMask = (Key{1} << kSlotBits) - 1;

  [[nodiscard]] bool holds(Key key) const;
  [[nodiscard]] Found found(std::size_t slot) const;
  std::size_t free_slot();
  void weigh(std::size_t slot, float priority);
  void drop_gone(std::deque<Key>& keys) const;

  Options options_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;  // empty slots
  std::deque<Key> order_;            // in the order of insertion; some are gone
  std::deque<Key> unread_;
  SumTree sampling_;
  SumTree removal_;  // has one place if the oldest are removed first
  std::int64_t size_ = 0;
  std::int64_t added_ = 0;
};

}  // namespace tandem
