#include "tandem/run/metrics.h"

#include <fstream>
#include <string>
#include <system_error>
#include <vector>

namespace tandem {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// Whether a line is complete and belongs to a step up to `last`.
bool belongs(const std::string& line, std::int64_t last) {
  const auto entry = ordered_json::parse(line, nullptr, /*allow_exceptions=*/false);
  return entry.is_object() && entry.contains("steps") && entry["steps"].is_number_integer() &&
         entry["steps"].get<std::int64_t>() <= last;
}

/// Truncates the file before the first line that is incomplete or later than `last`; steps increase
/// from line to line.
fs::path cut_after(const fs::path& file, std::int64_t last) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return file;
  std::uintmax_t kept = 0;
  std::string line;
  while (std::getline(stream, line) && !stream.eof() && belongs(line, last)) {
    kept += line.size() + 1;
  }
  std::error_code error;
  fs::resize_file(file, kept, error);
  if (error) throw write_error(file, error.value());
  return file;
}

fs::path prepared(const fs::path& file, std::optional<std::int64_t> resumed_at) {
  return resumed_at ? cut_after(file, *resumed_at) : file;
}

std::optional<std::int64_t> step_after(std::optional<std::int64_t> step) {
  return step ? std::optional(*step + 1) : std::nullopt;
}

}  // namespace

MetricsLog::MetricsLog(const fs::path& folder, std::optional<std::int64_t> resumed_at)
    : lines_(prepared(folder / "metrics.jsonl", resumed_at), OutputFile::Mode::append),
      events_(folder, step_after(resumed_at)) {}

void MetricsLog::write(std::int64_t steps, const ordered_json& scalars) {
  ordered_json line = {{"steps", steps}};
  std::vector<Scalar> numbers;
  for (const auto& [tag, value] : scalars.items()) {
    line[tag] = value;
    numbers.push_back({tag, value.get<double>()});
  }
  lines_.write(line.dump() + "\n");
  events_.add(steps, numbers);
}

}  // namespace tandem
