#include "tandem/run/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace tandem {
namespace {

constexpr int kBarWidth = 20;
constexpr int kPlainWidth = 200;

struct Part {
  int rank;  // the part of the highest rank is dropped first
  std::string text;
  std::string brief = text;  // used when room is short
};

double share_done(const ProgressReport& report) {
  if (report.budget <= 0) return 0;
  return std::min(1.0, static_cast<double>(report.steps) / static_cast<double>(report.budget));
}

std::string bar_text(double share) {
  std::string bar(kBarWidth, ' ');
  const int filled = static_cast<int>(share * kBarWidth);
  std::fill_n(bar.begin(), filled, '=');
  if (filled < kBarWidth) bar[filled] = '>';
  return "[" + bar + "]";
}

std::vector<Part> parts(const ProgressReport& report, bool bar) {
  std::vector<Part> all;
  if (!report.label.empty()) all.push_back({0, report.label});
  if (report.budget > 0) {
    if (bar) all.push_back({0, bar_text(share_done(report))});
    // Rounds down: 100 % appears at the end only.
    const double percent = std::floor(1000 * share_done(report)) / 10;
    all.push_back({6, fmt::format("{:.1f}%", percent)});
  }
  all.push_back({0, short_count(static_cast<double>(report.steps)) + " steps"});
  const auto frames = short_count(static_cast<double>(report.frames));
  all.push_back({5, frames + " frames", frames + " fr"});
  const auto rate = fmt::format("{:.0f}", report.steps_per_second);
  all.push_back({1, rate + " steps/s", rate + "/s"});
  const auto episodes = short_count(static_cast<double>(report.episodes));
  all.push_back({4, episodes + " episodes", episodes + " ep"});
  const auto mean = report.mean_return ? fmt::format("{:.2f}", *report.mean_return) : "-";
  all.push_back({1, "return " + mean});
  if (report.best) all.push_back({3, fmt::format("best {:.2f}", *report.best)});
  const auto random = fmt::format(" {:.3f}", report.random);
  all.push_back({3, report.randomness + random, report.randomness.substr(0, 3) + random});
  if (report.seconds_left) all.push_back({2, short_duration(*report.seconds_left) + " left"});
  return all;
}

std::string joined(const std::vector<Part>& parts) {
  std::string line;
  for (const auto& part : parts) line += (line.empty() ? "" : "  ") + part.text;
  return line;
}

int terminal_width(std::FILE* stream) {
  winsize size = {};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

std::string progress_line(const ProgressReport& report, int width, bool bar) {
  const auto limit = static_cast<std::size_t>(std::max(width, 0));
  auto line = joined(parts(report, bar));
  if (line.size() <= limit) return line;
  auto shown = parts(report, false);
  line = joined(shown);
  if (line.size() <= limit) return line;
  for (auto& part : shown) part.text = part.brief;
  for (line = joined(shown); line.size() > limit && shown.size() > 1; line = joined(shown)) {
    shown.erase(std::ranges::max_element(shown, {}, &Part::rank));
  }
  return line.substr(0, limit);
}

std::string short_count(double count) {
  constexpr std::array<const char*, 5> kUnits = {"", "k", "M", "G", "T"};
  std::size_t unit = 0;
  // With three digits, 999.5 would become 1000.
  for (; count >= 999.5 && unit + 1 < kUnits.size(); ++unit) count /= 1000;
  const int decimals = unit == 0 || count >= 99.95 ? 0 : count >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}{}", count, decimals, kUnits[unit]);
}

std::string short_duration(double seconds) {
  const auto all = std::llround(std::max(0.0, seconds));
  const auto minutes = all / 60;
  const auto hours = minutes / 60;
  if (hours >= 24) return fmt::format("{}d{:02}h", hours / 24, hours % 24);
  if (hours > 0) return fmt::format("{}h{:02}m", hours, minutes % 60);
  if (minutes > 0) return fmt::format("{}m{:02}s", minutes, all % 60);
  return fmt::format("{}s", all);
}

ProgressPrinter::ProgressPrinter(std::FILE* stream)
    : stream_(stream), terminal_(isatty(fileno(stream)) == 1) {}

ProgressPrinter::~ProgressPrinter() { end_line(); }

void ProgressPrinter::show(const ProgressReport& report) {
  // The last column stays free: some terminals wrap when it is written.
  say(terminal_ ? progress_line(report, terminal_width(stream_) - 1, true)
                : progress_line(report, kPlainWidth, false));
}

void ProgressPrinter::say(const std::string& text) {
  std::fputs((terminal_ ? fmt::format("\r{}\x1b[K", text) : text + "\n").c_str(), stream_);
  line_open_ = terminal_;
  std::fflush(stream_);
}

void ProgressPrinter::end_line() {
  if (!line_open_) return;
  std::fputc('\n', stream_);
  std::fflush(stream_);
  line_open_ = false;
}

}  // namespace tandem
