// Joins sequences.
#pragma once

#include <span>
#include <vector>

namespace tandem {

/// Appends the elements of `more` to `all`, in their order. `more` must not be a view of `all`.
template <class T>
void append(std::vector<T>& all, std::span<const T> more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace tandem
