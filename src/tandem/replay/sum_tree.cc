#include "tandem/replay/sum_tree.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace tandem {

SumTree::SumTree(std::size_t places) {
  build(std::vector<double>(std::max<std::size_t>(1, places)));
}

void SumTree::grow(std::size_t places) {
  if (places <= this->places()) return;
  auto weights = std::move(levels_.front());
  weights.resize(places);
  build(std::move(weights));
}

void SumTree::build(std::vector<double> weights) {
  // Rounds the number of weights up to a multiple of kChildren, so that every node is full.
  weights.resize((weights.size() + kChildren - 1) / kChildren * kChildren);
  levels_.clear();
  levels_.push_back(std::move(weights));
  while (levels_.back().size() > 1) {
    const auto below = levels_.size() - 1;
    const auto nodes = levels_[below].size() / kChildren;
    std::vector<double> level(nodes == 1 ? 1 : (nodes + kChildren - 1) / kChildren * kChildren);
    for (std::size_t node = 0; node < nodes; ++node) level[node] = sum_of(below, node);
    levels_.push_back(std::move(level));
  }
}

/// The sum of the children of `node`; they are in `level`.
double SumTree::sum_of(std::size_t level, std::size_t node) const {
  const double* child = &levels_[level][node * kChildren];
  return ((child[0] + child[1]) + (child[2] + child[3])) +
         ((child[4] + child[5]) + (child[6] + child[7]));
}

void SumTree::set(std::size_t place, double weight) {
  if (!(weight >= 0) || !std::isfinite(weight)) {
    throw std::logic_error("a weight must be a number of at least 0");
  }
  levels_.front()[place] = weight;
  for (std::size_t level = 1; level < levels_.size(); ++level) {
    place /= kChildren;
    levels_[level][place] = sum_of(level - 1, place);
  }
}

std::size_t SumTree::find(double mass) const {
  if (!(total() > 0)) throw std::logic_error("there is no weight to draw from");
  std::size_t place = 0;
  for (std::size_t level = levels_.size() - 1; level-- > 0;) {
    const auto first = place * kChildren;
    const double* child = &levels_[level][first];
    // Sums are rounded, so the mass may exceed the children's sum. Then the last child with a
    // weight is taken.
    std::size_t taken = kChildren;
    for (std::size_t i = 0; i < kChildren; ++i) {
      if (child[i] <= 0) continue;
      taken = i;
      if (mass < child[i]) break;
      mass -= child[i];
    }
    place = first + taken;
  }
  return place;
}

}  // namespace tandem
