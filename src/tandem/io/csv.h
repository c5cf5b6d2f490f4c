// Comma-separated values.
#pragma once

#include <string>
#include <vector>

namespace tandem {

/// One line with its end, each word in quotes where RFC 4180 wants it. Pure.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& words);

}  // namespace tandem
