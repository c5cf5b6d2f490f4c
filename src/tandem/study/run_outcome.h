// How a run ended, as its result.json tells.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tandem {

/// A run that will not go on. Value type.
struct RunOutcome {
  /// When the return to train for (run.until_return) was reached.
  struct Reached {
    std::int64_t frames = 0;
    double seconds = 0;
  };

  std::string why;              // "budget", "return" or "diverged"
  std::optional<double> score;  // mean return of the last 100 games; none when it diverged
  std::int64_t steps = 0;
  std::int64_t frames = 0;
  std::int64_t episodes = 0;
  double seconds = 0;
  std::optional<Reached> reached;
  std::string message;  // of a run that diverged
};

/// None when there is no result yet, or the run was ended by a signal or by an error that the user
/// can mend (a full disk): it is to go on. Throws Error when the file holds something else.
[[nodiscard]] std::optional<RunOutcome> read_outcome(const std::filesystem::path& result_file);

}  // namespace tandem
