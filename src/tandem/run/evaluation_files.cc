#include "tandem/run/evaluation_files.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/run/step_lines.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr auto kStepKey = "step";
constexpr auto kEvaluationPart = "evaluation";  // a part of the best checkpoint's meta

}  // namespace

EvaluationLog::EvaluationLog(const fs::path& file, std::optional<std::int64_t> resumed_at)
    : lines_(cut_lines_after(file, kStepKey, resumed_at), OutputFile::Mode::append),
      last_step_(last_step_of(file, kStepKey)) {}

void EvaluationLog::write(const EvaluationRecord& record) {
  lines_.write(to_json(record).dump() + "\n");
  last_step_ = record.step;
}

std::vector<EvaluationRecord> read_evaluations(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::vector<EvaluationRecord> records;
  std::string line;
  for (int number = 1; std::getline(stream, line) && !stream.eof(); ++number) {
    const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded()) continue;  // a damaged line
    records.push_back(record_from_json(json, fmt::format("{}, line {}", file.string(), number)));
  }
  return records;
}

void write_best(Checkpoint snapshot, const EvaluationRecord& record, const fs::path& best) {
  snapshot.meta[kEvaluationPart] = to_json(record);
  write_checkpoint(snapshot, best, record.step, /*keep=*/1);
}

std::optional<EvaluationRecord> read_best(
    const fs::path& best, const std::function<void(const std::string&)>& on_problem) {
  try {
    if (!has_checkpoint(best)) return std::nullopt;
    const auto found = find_latest(best, [](const std::string&) {});
    return record_from_json(found.checkpoint.part(kEvaluationPart), found.folder.string());
  } catch (const Error& error) {
    on_problem(
        fmt::format("the best checkpoint so far cannot be used, and the next evaluation "
                    "takes its place: {}",
                    error.what()));
    return std::nullopt;
  }
}

}  // namespace tandem
