#include "tandem/io/text_table.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <sstream>

namespace tandem {
namespace {

constexpr int kGap = 2;
constexpr std::size_t kLeastLastColumn = 40;
constexpr int kIndent = 4;

std::vector<std::string> wrap(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    auto& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (line.size() + 1 + word.size() <= width) {
      line += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

int terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const int width = columns == nullptr ? 0 : std::atoi(columns);
  return width > 0 ? width : 100;
}

std::string format_table(const std::vector<std::vector<std::string>>& rows, int width) {
  if (rows.empty()) return {};
  const auto last = rows.front().size() - 1;
  std::vector<std::size_t> widths(last, 0);
  std::size_t before = 0;
  for (std::size_t column = 0; column < last; ++column) {
    for (const auto& row : rows) widths[column] = std::max(widths[column], row[column].size());
    before += widths[column] + kGap;
  }
  std::size_t longest = 0;
  for (const auto& row : rows) longest = std::max(longest, row[last].size());
  const bool below = static_cast<std::size_t>(width) < before + std::min(longest, kLeastLastColumn);
  const std::size_t indent = below ? kIndent : before;
  const auto room = std::max<std::size_t>(static_cast<std::size_t>(width), indent + 20) - indent;

  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < last; ++column) {
      line += fmt::format("{:<{}}", row[column], widths[column] + kGap);
    }
    if (below) text += without_trailing_spaces(line) + "\n";
    bool first = !below;
    for (const auto& part : wrap(row[last], room)) {
      text += without_trailing_spaces((first ? line : std::string(indent, ' ')) + part) + "\n";
      first = false;
    }
  }
  return text;
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} us", 1e6 * seconds);
  if (seconds < 1) return fmt::format("{:.1f} ms", 1e3 * seconds);
  return fmt::format("{:.1f} s", seconds);
}

std::string plain_number(double value, int digits) {
  // With a fraction, this number would be rounded to one digit more.
  const double widest = std::pow(10.0, digits) - 0.5;
  return std::abs(value) < widest ? fmt::format("{:.{}g}", value, digits)
                                  : fmt::format("{:.0f}", value);
}

std::string format_names(const std::vector<std::string>& names, int width) {
  std::size_t longest = 0;
  for (const auto& name : names) longest = std::max(longest, name.size());
  const auto step = longest + kGap;
  const auto columns = std::max<std::size_t>(1, static_cast<std::size_t>(width) / step);
  const auto lines = (names.size() + columns - 1) / columns;
  std::string text;
  for (std::size_t line = 0; line < lines; ++line) {
    std::string row;
    for (std::size_t i = line; i < names.size(); i += lines) {
      row += fmt::format("{:<{}}", names[i], step);
    }
    text += without_trailing_spaces(row) + "\n";
  }
  return text;
}

}  // namespace tandem
