// Text in columns, as wide as the terminal.
#pragma once

#include <string>
#include <vector>

namespace tandem {

/// The width of the terminal behind stdout, in characters. Without a terminal, $COLUMNS or 100.
[[nodiscard]] int terminal_width();

/// Aligns rows of equal length in columns. The last column is wrapped at `width`. If too little
/// room is left for it, it stands indented below its row.
[[nodiscard]] std::string format_table(const std::vector<std::vector<std::string>>& rows,
                                       int width);

/// Seconds in a suitable unit: "0.2 us", "7.5 ms", "1.2 s".
[[nodiscard]] std::string time_text(double seconds);

/// A number with at least so many significant digits; a large one has no power of ten: 1234 or
/// 0.123 with three digits.
[[nodiscard]] std::string plain_number(double value, int digits);

/// Words side by side in as many columns as fit, to be read downwards as in `ls`.
[[nodiscard]] std::string format_names(const std::vector<std::string>& names, int width);

}  // namespace tandem
