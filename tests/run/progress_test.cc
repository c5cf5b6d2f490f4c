#include "tandem/run/progress.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>

namespace tandem {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

ProgressReport sample_report() {
  return {.steps = 48'000'000,
          .budget = 115'000'000,
          .frames = 192'000'000,
          .steps_per_second = 3456.4,
          .episodes = 12'345,
          .mean_return = 18.4,
          .random = 1.234,
          .seconds_left = 7380};
}

TEST(ProgressTest, SaysEverythingWhereThereIsRoom) {
  EXPECT_EQ(
      progress_line(sample_report(), 200, true),
      "[========>           ]  41.7%  48.0M steps  192M frames  3456 steps/s  12.3k episodes  "
      "return 18.40  entropy 1.234  2h03m left");
  EXPECT_EQ(progress_line(sample_report(), 200, false),
            "41.7%  48.0M steps  192M frames  3456 steps/s  12.3k episodes  return 18.40  "
            "entropy 1.234  2h03m left");
  auto evaluated = sample_report();
  evaluated.best = 19.5;
  EXPECT_THAT(progress_line(evaluated, 200, false), HasSubstr("return 18.40  best 19.50  entropy"));
}

TEST(ProgressTest, FitsAnyWidth) {
  for (int width = 0; width < 150; ++width) {
    EXPECT_LE(progress_line(sample_report(), width, true).size(), static_cast<std::size_t>(width));
  }
  EXPECT_EQ(progress_line(sample_report(), 80, true),
            "48.0M steps  192M fr  3456/s  12.3k ep  return 18.40  ent 1.234  2h03m left");
  EXPECT_EQ(progress_line(sample_report(), 120, true).substr(0, 5), "41.7%");
  EXPECT_EQ(progress_line(sample_report(), 30, true), "48.0M steps  return 18.40");
  EXPECT_EQ(progress_line(sample_report(), 5, true), "48.0M");
}

TEST(ProgressTest, TheLabelComesFirst) {
  auto report = sample_report();
  report.label = "run 3 of 50";
  EXPECT_THAT(progress_line(report, 200, true), StartsWith("run 3 of 50  [===="));
  EXPECT_EQ(progress_line(report, 40, true), "run 3 of 50  48.0M steps  return 18.40");
}

TEST(ProgressTest, BeforeTheFirstEpisodeAndWithoutBudget) {
  const auto line = progress_line({.steps = 10, .mean_return = {}, .seconds_left = {}}, 200, true);
  EXPECT_EQ(line, "10 steps  0 frames  0 steps/s  0 episodes  return -  entropy 0.000");
}

TEST(ProgressTest, CallsWhatMakesActionsRandomByItsName) {
  auto report = sample_report();
  report.randomness = "epsilon";
  report.random = 0.37;
  EXPECT_THAT(progress_line(report, 200, true), HasSubstr("epsilon 0.370"));
  EXPECT_THAT(progress_line(report, 80, true), HasSubstr("eps 0.370"));
}

TEST(ProgressTest, SaysAHundredPercentAtTheEndOnly) {
  EXPECT_THAT(
      progress_line({.steps = 99'999, .budget = 100'000, .mean_return = {}, .seconds_left = {}},
                    200, true),
      StartsWith("[===================>]  99.9%"));
  EXPECT_THAT(
      progress_line({.steps = 100'160, .budget = 100'000, .mean_return = {}, .seconds_left = {}},
                    200, true),
      StartsWith("[====================]  100.0%"));
}

TEST(ProgressTest, ShortCounts) {
  EXPECT_EQ(short_count(0), "0");
  EXPECT_EQ(short_count(999), "999");
  EXPECT_EQ(short_count(1000), "1.00k");
  EXPECT_EQ(short_count(9994), "9.99k");
  EXPECT_EQ(short_count(9996), "10.0k");
  EXPECT_EQ(short_count(99'960), "100k");
  EXPECT_EQ(short_count(999'600), "1.00M");
  EXPECT_EQ(short_count(45.6e9), "45.6G");
  EXPECT_EQ(short_count(5e16), "50000T");
}

TEST(ProgressTest, ShortDurations) {
  EXPECT_EQ(short_duration(-1), "0s");
  EXPECT_EQ(short_duration(59.4), "59s");
  EXPECT_EQ(short_duration(59.6), "1m00s");
  EXPECT_EQ(short_duration(3599), "59m59s");
  EXPECT_EQ(short_duration(7380), "2h03m");
  EXPECT_EQ(short_duration(273'600), "3d04h");
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t count; (count = read(descriptor, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

TEST(ProgressTest, ElsewhereALineForEachReport) {
  std::array<int, 2> ends;
  ASSERT_EQ(pipe(ends.data()), 0);
  {
    const File stream(fdopen(ends[1], "w"), std::fclose);
    ProgressPrinter printer(stream.get());
    EXPECT_FALSE(printer.redraws());
    printer.show(sample_report());
    printer.show(sample_report());
    printer.end_line();
  }
  const auto line = progress_line(sample_report(), 200, false) + "\n";
  EXPECT_EQ(read_all(ends[0]), line + line);
  close(ends[0]);
}

TEST(ProgressTest, OnATerminalOneLineOfItsWidth) {
  int terminal = 0;
  int end = 0;
  winsize size = {.ws_row = 24, .ws_col = 60, .ws_xpixel = 0, .ws_ypixel = 0};
  ASSERT_EQ(openpty(&terminal, &end, nullptr, nullptr, &size), 0);
  fcntl(terminal, F_SETFL, O_NONBLOCK);
  const File stream(fdopen(end, "w"), std::fclose);
  {
    ProgressPrinter printer(stream.get());
    EXPECT_TRUE(printer.redraws());
    printer.show(sample_report());
    EXPECT_EQ(read_all(terminal),
              fmt::format("\r{}\x1b[K", progress_line(sample_report(), 59, true)));
    printer.show(sample_report());
    EXPECT_THAT(read_all(terminal), Not(HasSubstr("\n")));
  }
  EXPECT_EQ(read_all(terminal), "\r\n");
  close(terminal);
}

}  // namespace
}  // namespace tandem
