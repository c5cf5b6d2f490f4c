// Text in columns, as wide as the terminal.
#pragma once

#include <string>
#include <vector>

namespace tandem {

/// Columns of the terminal behind stdout; $COLUMNS or 100 when there is none.
[[nodiscard]] int terminal_width();

/// Aligns rows of equal length in columns. The last column is wrapped at `width`; if too little
/// room is left for it, it goes below its row, indented.
[[nodiscard]] std::string format_table(const std::vector<std::vector<std::string>>& rows,
                                       int width);

/// Seconds in a suitable unit: "0.2 us", "7.5 ms", "1.2 s".
[[nodiscard]] std::string time_text(double seconds);

/// Words side by side in as many columns as fit, to be read downwards as in `ls`.
[[nodiscard]] std::string format_names(const std::vector<std::string>& names, int width);

}  // namespace tandem
