// Table 2 of the A3C paper: how much sooner more threads reach a score.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tandem/study/run_outcome.h"

namespace tandem {

/// One run to the reference score. Value type.
struct SpeedupRun {
  std::string name;   // name of its folder
  std::string group;  // runs of one group are compared: "method=a3c"
  int threads = 1;
  std::optional<RunOutcome::Reached> reached;  // empty: it never reached the score
};

/// The results for one number of threads: medians over the runs that count, which may be only the
/// soonest. A run that never reached the score counts as later than all others, so a median may not
/// exist. Value type.
struct SpeedupRow {
  std::string group;
  int threads = 1;
  std::vector<std::string> counted;  // names of the runs that count, the soonest first
  int reached = 0;                   // number of these that reached the score
  int all_runs = 0;                  // also those that do not count
  int all_reached = 0;               // number of all runs that reached the score
  std::optional<double> seconds;     // to the score; empty: at least half never reached it
  std::optional<double> frames;
  std::optional<double> time_speedup;  // relative to the fewest threads of the group
  std::optional<double> data_speedup;
};

/// A row for each group and number of threads. Groups keep their order, and numbers of threads
/// ascend. Only the `best` soonest runs count in each row. Pure.
[[nodiscard]] std::vector<SpeedupRow> speedup_rows(std::vector<SpeedupRun> runs, int best);

/// A table for a terminal of this width.
[[nodiscard]] std::string speedup_table(const std::vector<SpeedupRow>& rows, int width);

/// The text of speedup.csv.
[[nodiscard]] std::string speedup_csv(const std::vector<SpeedupRow>& rows, double score, int cores);

}  // namespace tandem
