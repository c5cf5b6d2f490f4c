// Doom's files and its client spell names in upper case and in lower case.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>

namespace tandem::doom {

/// The text with small letters.
inline std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

}  // namespace tandem::doom
