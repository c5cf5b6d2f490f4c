// The times of an environment's steps, as a text file records them.
#pragma once

#include <string>
#include <vector>

namespace tandem {

/// Reads the times of steps, in seconds and in their order. Each line of the file has one of them;
/// blank lines and comments after a # are left out. Throws Error, and names the file and the line,
/// when the file cannot be read or holds no time, and for anything that is not a number from 0 to
/// 60.
[[nodiscard]] std::vector<double> read_recorded_times(const std::string& file);

/// The text of such a file, without comments, in nanoseconds.
[[nodiscard]] std::string recorded_times_text(const std::vector<double>& times);

}  // namespace tandem
