// Table 2 of the A3C paper: how much sooner more threads reach a score.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tandem/study/run_outcome.h"

namespace tandem {

/// One run to the reference score. Value type.
struct SpeedupRun {
  std::string name;   // of its folder
  std::string group;  // runs of one group are compared: "method=a3c"
  int threads = 1;
  std::optional<RunOutcome::Reached> reached;  // none: the budget was used up before
};

/// One number of threads: medians over the runs that count. A run that never reached the score
/// counts as later than all others, so a median may not exist. Value type.
struct SpeedupRow {
  std::string group;
  int threads = 1;
  std::vector<std::string> counted;  // names, the soonest first
  int reached = 0;                   // of these
  std::optional<double> seconds;     // none: at least half of them never reached the score
  std::optional<double> frames;
  std::optional<double> time_speedup;  // relative to the fewest threads of the group
  std::optional<double> data_speedup;
};

/// A row for each group and number of threads, groups in their order, threads from the fewest on;
/// the `best` soonest runs of each count. Pure.
[[nodiscard]] std::vector<SpeedupRow> speedup_rows(std::vector<SpeedupRun> runs, int best);

/// For a terminal of this width.
[[nodiscard]] std::string speedup_table(const std::vector<SpeedupRow>& rows, int width);

/// For speedup.csv.
[[nodiscard]] std::string speedup_csv(const std::vector<SpeedupRow>& rows, double score, int cores);

}  // namespace tandem
