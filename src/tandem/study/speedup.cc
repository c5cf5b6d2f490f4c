#include "tandem/study/speedup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tandem/base/median.h"
#include "tandem/io/csv.h"
#include "tandem/io/text_table.h"

namespace tandem {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

double seconds_of(const SpeedupRun& run) { return run.reached ? run.reached->seconds : kNever; }

double frames_of(const SpeedupRun& run) {
  return run.reached ? static_cast<double>(run.reached->frames) : kNever;
}

std::optional<double> finite_median(std::vector<double> values) {
  const double middle = median(std::move(values));
  return std::isfinite(middle) ? std::optional(middle) : std::nullopt;
}

SpeedupRow row_of(std::vector<SpeedupRun> runs, int best) {
  std::ranges::stable_sort(runs, {}, seconds_of);
  SpeedupRow row;
  row.group = runs.front().group;
  row.threads = runs.front().threads;
  row.all_runs = static_cast<int>(runs.size());
  for (const auto& run : runs) row.all_reached += run.reached ? 1 : 0;
  runs.resize(std::min(runs.size(), static_cast<std::size_t>(best)));
  std::vector<double> seconds;
  std::vector<double> frames;
  for (const auto& run : runs) {
    row.counted.push_back(run.name);
    row.reached += run.reached ? 1 : 0;
    seconds.push_back(seconds_of(run));
    frames.push_back(frames_of(run));
  }
  row.seconds = finite_median(std::move(seconds));
  row.frames = finite_median(std::move(frames));
  return row;
}

std::optional<double> ratio(std::optional<double> fewest, std::optional<double> more) {
  if (!fewest || !more || *more <= 0) return std::nullopt;
  return *fewest / *more;
}

std::string text_or(std::optional<double> value, const char* format, const char* otherwise) {
  return value ? fmt::format(fmt::runtime(format), *value) : otherwise;
}

}  // namespace

std::vector<SpeedupRow> speedup_rows(std::vector<SpeedupRun> runs, int best) {
  std::vector<std::string> groups;
  for (const auto& run : runs) {
    if (std::ranges::find(groups, run.group) == groups.end()) groups.push_back(run.group);
  }
  std::ranges::stable_sort(runs, {}, &SpeedupRun::threads);
  std::vector<SpeedupRow> rows;
  for (const auto& group : groups) {
    std::optional<SpeedupRow> fewest;
    std::vector<SpeedupRun> alike;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (runs[i].group == group) alike.push_back(runs[i]);
      const bool last = i + 1 == runs.size() || runs[i + 1].threads != runs[i].threads;
      if (!last || alike.empty()) continue;
      auto row = row_of(std::exchange(alike, {}), best);
      if (!fewest) fewest = row;
      row.time_speedup = ratio(fewest->seconds, row.seconds);
      row.data_speedup = ratio(fewest->frames, row.frames);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::string speedup_table(const std::vector<SpeedupRow>& rows, int width) {
  std::vector<std::vector<std::string>> table = {
      {"", "THREADS", "REACHED", "SECONDS", "FRAMES", "TIME SPEED-UP", "DATA SPEED-UP"}};
  for (const auto& row : rows) {
    table.push_back(
        {row.group, fmt::format("{}", row.threads),
         fmt::format("{} of {}", row.all_reached, row.all_runs),
         text_or(row.seconds, "{:.1f}", "never"), text_or(row.frames, "{:.0f}", "never"),
         text_or(row.time_speedup, "{:.2f}", "-"), text_or(row.data_speedup, "{:.2f}", "-")});
  }
  const bool one_group =
      std::ranges::all_of(rows, [](const auto& row) { return row.group.empty(); });
  if (one_group) {
    for (auto& line : table) line.erase(line.begin());
  }
  return format_table(table, width);
}

std::string speedup_csv(const std::vector<SpeedupRow>& rows, double score, int cores) {
  auto text =
      csv_line({"group", "threads", "score", "runs", "reached", "seconds", "frames", "time_speedup",
                "data_speedup", "cores", "counted", "all_runs", "all_reached"});
  for (const auto& row : rows) {
    text +=
        csv_line({row.group, fmt::format("{}", row.threads), fmt::format("{}", score),
                  fmt::format("{}", row.counted.size()), fmt::format("{}", row.reached),
                  text_or(row.seconds, "{:.3f}", ""), text_or(row.frames, "{:.0f}", ""),
                  text_or(row.time_speedup, "{:.3f}", ""), text_or(row.data_speedup, "{:.3f}", ""),
                  fmt::format("{}", cores), fmt::format("{}", fmt::join(row.counted, " ")),
                  fmt::format("{}", row.all_runs), fmt::format("{}", row.all_reached)});
  }
  return text;
}

}  // namespace tandem
