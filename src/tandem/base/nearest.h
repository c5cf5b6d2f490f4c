// Offers the word that a user most likely meant.
#pragma once

#include <span>
#include <string>

namespace tandem {

/// The candidate that differs from `word` by the fewest inserted, deleted, changed or swapped
/// letters, ignoring case; the first of several. Empty if none is close enough to be a likely
/// typing error. Pure, thread-safe.
std::string nearest(const std::string& word, std::span<const std::string> candidates);

/// "; did you mean 'Pong'?" with the nearest candidate, for the middle of a message about a name
/// that there is not. Empty if none is near. Pure, thread-safe.
std::string did_you_mean(const std::string& word, std::span<const std::string> candidates);

}  // namespace tandem
