#include "tandem/env/recorded_times.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "tandem/base/error.h"

namespace tandem {
namespace {

constexpr double kLongestStep = 60;  // seconds
constexpr auto kTimesRemedy = "`tandem predict --env ENV --save-times FILE` records such a file";

/// A line without its comment and the blanks around it.
std::string_view content_of(std::string_view line) {
  line = line.substr(0, line.find('#'));
  constexpr auto kBlanks = " \t\r";
  const auto begin = line.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace

std::vector<double> read_recorded_times(const std::string& file) {
  std::ifstream stream(file);
  std::vector<double> times;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    const auto content = content_of(line);
    if (content.empty()) continue;
    double time = 0;
    const auto* end = content.data() + content.size();
    const auto [rest, error] = std::from_chars(content.data(), end, time);
    if (error != std::errc() || rest != end) {
      throw Error(
          fmt::format("{}, line {}: '{}' is no number; each line is the time of a step in "
                      "seconds",
                      file, number, content));
    }
    if (time >= 0 && time <= kLongestStep) {  // false for NaN
      times.push_back(time);
      continue;
    }
    throw Error(fmt::format("{}, line {}: {} is no time of a step; a step takes 0 to {} seconds",
                            file, number, content, kLongestStep));
  }
  if (!stream.is_open() || stream.bad()) {
    throw Error(fmt::format("cannot read the times of steps in {}; {}", file, kTimesRemedy));
  }
  if (times.empty()) {
    throw Error(fmt::format("{} holds no time of a step; {}", file, kTimesRemedy));
  }
  return times;
}

std::string recorded_times_text(const std::vector<double>& times) {
  std::string text;
  for (const double time : times) fmt::format_to(std::back_inserter(text), "{:.9f}\n", time);
  return text;
}

}  // namespace tandem
