// The line that shows a user how a run is going.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

namespace tandem {

/// The content of the progress line. Value type.
struct ProgressReport {
  std::string label = {};              // "run 3 of 50", before all else
  std::int64_t steps = 0;              // so far
  std::int64_t budget = 0;             // steps of the whole run; 0: unlimited
  std::int64_t frames = 0;             // emulated so far
  double steps_per_second = 0;         // recent, not of the whole run
  std::int64_t episodes = 0;           // finished so far
  std::optional<double> mean_return;   // of the last 100 episodes; empty before the first
  std::optional<double> best = {};     // mean return of the best evaluation; empty: none
  std::string randomness = "entropy";  // name of the measure of the policy's randomness
  double random = 0;                   // its value: entropy in nats, or epsilon
  std::optional<double> seconds_left;  // until the budget is used up; empty: unknown
};

/// One line of at most `width` characters (ASCII). If it does not fit, the least important parts
/// are left out. If `bar` is set, a bar shows the used share of the budget.
std::string progress_line(const ProgressReport& report, int width, bool bar);

/// "950", "12.3k", "1.23M", "45.6G".
std::string short_count(double count);

/// "42s", "3m05s", "2h03m", "3d04h".
std::string short_duration(double seconds);

/// Prints progress lines to a stream. On a terminal it redraws one line, fitted to the width;
/// elsewhere it prints a line for each report. Not thread-safe; the stream must outlive it.
class ProgressPrinter {
 public:
  /// Finds out whether the stream is a terminal.
  explicit ProgressPrinter(std::FILE* stream);
  ~ProgressPrinter();
  ProgressPrinter(const ProgressPrinter&) = delete;
  ProgressPrinter& operator=(const ProgressPrinter&) = delete;

  /// Whether to show a report each second rather than with each log line.
  [[nodiscard]] bool redraws() const { return terminal_; }

  /// Prints the report; on a terminal it replaces the line before.
  void show(const ProgressReport& report);

  /// Prints a text instead; on a terminal it replaces the line before.
  void say(const std::string& text);

  /// Ends the redrawn line, so that other output starts on a line of its own.
  void end_line();

 private:
  std::FILE* stream_;
  bool terminal_;
  bool line_open_ = false;
};

}  // namespace tandem
