// Comma-separated values.
#pragma once

#include <string>
#include <vector>

namespace tandem {

/// One line with its line break; words stand in quotes where RFC 4180 requires it. Pure.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& words);

}  // namespace tandem
