// The measurements of a run over its steps: metrics.jsonl and TensorBoard.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tandem/io/files.h"
#include "tandem/io/tensorboard.h"

namespace tandem {

/// Writes one JSON object a line to metrics.jsonl in the run's folder, and its numbers to
/// TensorBoard. The operating system has a line when write() returns. Not thread-safe. Throws Error
/// when a file cannot be written.
class MetricsLog {
 public:
  /// `resumed_at` is the step from which the run resumes. Removes the lines of later steps, because
  /// the run will take these steps again, and a last line that a killed run left unfinished.
  explicit MetricsLog(const std::filesystem::path& folder,
                      std::optional<std::int64_t> resumed_at = std::nullopt);

  /// Writes one line: {"steps": steps, ...scalars}. `scalars` is an object of numbers, in order.
  void write(std::int64_t steps, const nlohmann::ordered_json& scalars);

  /// Writes one number to TensorBoard alone; `steps` may lie before those of earlier lines.
  void show(std::int64_t steps, const std::string& tag, double value);

 private:
  OutputFile lines_;
  EventFile events_;
};

}  // namespace tandem
