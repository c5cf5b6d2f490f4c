// The files that keep the evaluations of a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tandem/io/files.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/evaluation_record.h"

namespace tandem {

/// Writes evaluations.jsonl, one record a line, in the order of their steps. The operating system
/// has a line when write() returns. Not thread-safe. Throws Error when the file cannot be written.
class EvaluationLog {
 public:
  /// `resumed_at` is the step from which the run resumes. Removes the lines of later steps, as
  /// MetricsLog does.
  EvaluationLog(const std::filesystem::path& file, std::optional<std::int64_t> resumed_at);

  /// Appends a record.
  void write(const EvaluationRecord& record);

  /// The step of the last line; 0 if there is none.
  [[nodiscard]] std::int64_t last_step() const { return last_step_; }

 private:
  OutputFile lines_;
  std::int64_t last_step_ = 0;
};

/// The records of a file that EvaluationLog wrote, in the order of their steps; none if there is no
/// file. Leaves out a last line that is still being written. Throws Error for any other line that
/// is no record.
[[nodiscard]] std::vector<EvaluationRecord> read_evaluations(const std::filesystem::path& file);

/// Makes the snapshot the one checkpoint in the folder `best`. The earlier one stays until this one
/// is whole. Throws Error as write_checkpoint() does.
void write_best(Checkpoint snapshot, const EvaluationRecord& record,
                const std::filesystem::path& best);

/// The record of the checkpoint in the folder `best`; empty if there is none. `on_problem` receives
/// a message for the user if it is damaged or cannot be read; the result is then empty, too.
[[nodiscard]] std::optional<EvaluationRecord> read_best(
    const std::filesystem::path& best, const std::function<void(const std::string&)>& on_problem);

}  // namespace tandem
