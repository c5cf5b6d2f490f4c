// Files of one JSON object a line, each with the step to which it belongs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tandem {

/// Truncates the file of a run that resumes from step `resumed_at`, before the first line of a
/// later step or a last line without its end; `key` holds a line's step. Steps must not decrease
/// from line to line. A damaged line stays. Does nothing in a new run, or if there is no such file.
/// Returns the file. Throws Error when it cannot be truncated.
std::filesystem::path cut_lines_after(const std::filesystem::path& file, const std::string& key,
                                      std::optional<std::int64_t> resumed_at);

/// The step of the file's last complete line; 0 if there is none.
[[nodiscard]] std::int64_t last_step_of(const std::filesystem::path& file, const std::string& key);

}  // namespace tandem
