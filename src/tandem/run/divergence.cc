#include "tandem/run/divergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tandem/base/error.h"

namespace tandem {
namespace {

std::string what_is_kept(const std::filesystem::path& last_checkpoint) {
  if (last_checkpoint.empty()) return "there was no checkpoint yet";
  return fmt::format("the last good checkpoint, {}, is kept", last_checkpoint.string());
}

}  // namespace

void require_finite(const UpdateReport& report, Metrics metrics, std::int64_t step,
                    const std::filesystem::path& last_checkpoint) {
  const auto require = [&](const char* name, double value) {
    if (std::isfinite(value)) return;
    throw Diverged(fmt::format(
        "the {} became {} at step {}, so the run was stopped; {}. Try a lower optimizer.lr (now "
        "{:g}), or set optimizer.clip_norm lower (0 is no clipping)",
        name, std::isnan(value) ? "not a number" : "infinite", step, what_is_kept(last_checkpoint),
        report.learning_rate));
  };
  for (const Metric& metric : metrics) require(metric.name, report.loss.*metric.sum);
  require("gradient norm", report.gradient_norm);
}

void require_finite(const Checkpoint& checkpoint) {
  for (const auto& [name, tensor] : checkpoint.tensors) {
    if (std::ranges::all_of(tensor.values, [](float v) { return std::isfinite(v); })) continue;
    throw Diverged(
        fmt::format("tensor '{}' holds values that are not finite, so no checkpoint was "
                    "written; try a lower optimizer.lr",
                    name));
  }
}

}  // namespace tandem
