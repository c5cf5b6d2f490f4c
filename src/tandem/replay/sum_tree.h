// Draws places in proportion to their weights.
#pragma once

#include <cstddef>
#include <vector>

namespace tandem {

/// The sum tree of Schaul et al., "Prioritized experience replay" (2016), appendix B.2.1, with
/// eight children a node, which fill one cache line. When a child changes, the node's sum is
/// computed anew from all its children. The tree therefore depends on its weights alone, and
/// rounding errors do not gather over time. set() and find() take O(log places). Not thread-safe.
class SumTree {
 public:
  /// All weights are 0. `places` must be at least 1.
  explicit SumTree(std::size_t places);

  /// How many places there are.
  [[nodiscard]] std::size_t places() const { return levels_.front().size(); }

  /// Makes room for at least so many places.
  void grow(std::size_t places);

  /// Gives a place this weight. Throws std::logic_error for one below 0 or not finite.
  void set(std::size_t place, double weight);

  /// The weight of one place.
  [[nodiscard]] double weight(std::size_t place) const { return levels_.front()[place]; }

  /// The sum of all weights.
  [[nodiscard]] double total() const { return levels_.back().front(); }

  /// The place into whose weight `mass` falls, when the weights are laid one after another from 0
  /// on. Its weight is above 0 for any mass, however it was rounded. Throws std::logic_error when
  /// all weights are 0.
  [[nodiscard]] std::size_t find(double mass) const;

 private:
  static constexpr std::size_t kChildren = 8;

  [[nodiscard]] double sum_of(std::size_t level, std::size_t node) const;
  void build(std::vector<double> weights);

  std::vector<std::vector<double>> levels_;  // the weights first, the total alone last
};

}  // namespace tandem
