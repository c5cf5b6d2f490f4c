#include "tandem/base/nearest.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

namespace tandem {
namespace {

std::string lower(std::string word) {
  for (auto& letter : word)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return word;
}

// Edit distance with swaps of neighbours (optimal string alignment), row by row.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

}  // namespace

std::string nearest(const std::string& word, std::span<const std::string> candidates) {
  const auto wanted = lower(word);
  std::size_t least = std::max<std::size_t>(2, wanted.size() / 2) + 1;
  std::string best;
  for (const auto& candidate : candidates) {
    const auto found = distance(wanted, lower(candidate));
    // A word in which every letter would have to change is not a typing error.
    if (found >= std::max(wanted.size(), candidate.size())) continue;
    if (found < least) {
      least = found;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(const std::string& word, std::span<const std::string> candidates) {
  const auto likely = nearest(word, candidates);
  return likely.empty() ? "" : "; did you mean '" + likely + "'?";
}

}  // namespace tandem
