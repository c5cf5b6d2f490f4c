// The end of a run, from its result.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tandem {

/// The end of a run that has finished or diverged and is not to be resumed. Value type.
struct RunOutcome {
  /// The moment at which the target return (run.until_return) was reached.
  struct Reached {
    std::int64_t frames = 0;
    double seconds = 0;
  };

  std::string why;              // "budget", "return" or "diverged"
  std::optional<double> score;  // mean return of the last 100 games; empty: none ended, or diverged
  std::int64_t steps = 0;
  std::int64_t frames = 0;
  std::int64_t episodes = 0;
  double seconds = 0;
  std::optional<Reached> reached;
  std::string message;  // the error of a run that diverged
};

/// Reads a run's result. Empty if there is none yet, or if a signal or an error such as a full disk
/// ended the run: it is to be resumed. Throws Error when the file holds anything but a result.
[[nodiscard]] std::optional<RunOutcome> read_outcome(const std::filesystem::path& result_file);

}  // namespace tandem
