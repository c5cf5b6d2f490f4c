#include "tandem/run/metrics.h"

#include <string>
#include <vector>

#include "tandem/run/run_directory.h"
#include "tandem/run/step_lines.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::optional<std::int64_t> step_after(std::optional<std::int64_t> step) {
  return step ? std::optional(*step + 1) : std::nullopt;
}

}  // namespace

MetricsLog::MetricsLog(const fs::path& folder, std::optional<std::int64_t> resumed_at)
    : lines_(cut_lines_after(RunPaths{folder}.metrics(), "steps", resumed_at),
             OutputFile::Mode::append),
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

void MetricsLog::show(std::int64_t steps, const std::string& tag, double value) {
  events_.add(steps, std::vector<Scalar>{{tag, value}});
}

}  // namespace tandem
