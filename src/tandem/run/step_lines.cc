#include "tandem/run/step_lines.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "tandem/io/files.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

/// The step of a line; empty if the line is incomplete.
std::optional<std::int64_t> step_of_line(const std::string& line, const std::string& key) {
  const auto entry = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!entry.is_object() || !entry.contains(key) || !entry[key].is_number_integer()) {
    return std::nullopt;
  }
  return entry[key].get<std::int64_t>();
}

}  // namespace

fs::path cut_lines_after(const fs::path& file, const std::string& key,
                         std::optional<std::int64_t> resumed_at) {
  std::ifstream stream(file, std::ios::binary);
  if (!resumed_at || !stream) return file;
  std::uintmax_t kept = 0;
  std::string line;
  while (std::getline(stream, line) && !stream.eof()) {
    const auto step = step_of_line(line, key);
    if (step && *step > *resumed_at) break;
    kept += line.size() + 1;
  }
  std::error_code error;
  fs::resize_file(file, kept, error);
  if (error) throw write_error(file, error.value());
  return file;
}

std::int64_t last_step_of(const fs::path& file, const std::string& key) {
  std::ifstream stream(file, std::ios::binary);
  std::int64_t last = 0;
  std::string line;
  while (std::getline(stream, line) && !stream.eof()) last = step_of_line(line, key).value_or(last);
  return last;
}

}  // namespace tandem
