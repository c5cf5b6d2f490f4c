// The end of a run, from its result.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tandem {

/// The end of a run that must not go on. Value type.
struct RunOutcome {
  /// The moment at which the target return (run.until_return) was reached.
  struct Reached {
    std::int64_t frames = 0;
    double seconds = 0;
  };

  std::string why;              // "budget", "return" or "diverged"
  std::optional<double> score;  // mean return of the last 100 games; empty if it diverged
  std::int64_t steps = 0;
  std::int64_t frames = 0;
  std::int64_t episodes = 0;
  double seconds = 0;
  std::optional<Reached> reached;
  std::string message;  // of a run that diverged
};

/// Empty if there is no result yet, or if a signal or an error that the user can mend (a full disk)
/// ended the run: it must go on then. Throws Error when the file holds something else.
[[nodiscard]] std::optional<RunOutcome> read_outcome(const std::filesystem::path& result_file);

}  // namespace tandem
