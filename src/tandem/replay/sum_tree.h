// Draws places in proportion to their weights.
#pragma once

#include <cstddef>
#include <vector>

namespace tandem {

/// The sum tree of Schaul et al., "Prioritized experience replay" (2016), appendix B.2.1, with
/// eight children per node, which fill one cache line. When a child changes, the node's sum is
/// recomputed from all its children. The tree therefore depends on its weights alone, and
/// rounding errors do not accumulate over time. set() and find() take O(log places). Not
/// thread-safe.
class SumTree {
 public:
  /// All weights are 0. `places` must be at least 1.
  explicit SumTree(std::size_t places);

  /// The number of places.
  [[nodiscard]] std::size_t places() const { return levels_.front().size(); }

  /// Grows the tree to at least this many places; new ones have the weight 0.
  void grow(std::size_t places);

  /// Sets a place's weight. Throws std::logic_error for a weight that is negative or not finite.
  void set(std::size_t place, double weight);

  /// The weight of one place.
  [[nodiscard]] double weight(std::size_t place) const { return levels_.front()[place]; }

  /// The sum of all weights.
  [[nodiscard]] double total() const { return levels_.back().front(); }

  /// The first place at which the cumulative sum of the weights exceeds `mass`. Its weight is above
  /// 0, whatever the rounding errors. Throws std::logic_error when all weights are 0.
  [[nodiscard]] std::size_t find(double mass) const;

 private:
  static constexpr std::size_t kChildren = 8;

  [[nodiscard]] double sum_of(std::size_t level, std::size_t node) const;
  void build(std::vector<double> weights);

  std::vector<std::vector<double>> levels_;  // the weights in the first, the total in the last
};

}  // namespace tandem
