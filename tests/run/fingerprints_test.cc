#include "tandem/run/fingerprints.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <vector>

#include "tandem/io/temporary_folder.h"

namespace tandem {
namespace {

UpdateReport report_of(double gradient_norm) {
  return {.steps = 160, .gradient_norm = gradient_norm, .episodes = {}};
}

// Seen failing with the gradient's norm, and with the returns, left out.
TEST(Fingerprints, DifferWithTheLastBitOfWhatWasMeasured) {
  const auto one = next_fingerprint({}, report_of(0.5));
  EXPECT_EQ(one.steps, 160);
  EXPECT_EQ(one, next_fingerprint({}, report_of(0.5)));
  EXPECT_NE(one.value, next_fingerprint({}, report_of(std::nextafter(0.5, 1))).value);
  const std::array games = {Episode{.env = 3, .episode_return = 1, .steps = 9}};
  auto report = report_of(0.5);
  report.episodes = games;
  const auto with_game = next_fingerprint({}, report);
  EXPECT_NE(one.value, with_game.value);
  const std::array others = {Episode{.env = 3, .episode_return = 2, .steps = 9}};
  report.episodes = others;
  EXPECT_NE(with_game.value, next_fingerprint({}, report).value);
}

TEST(Fingerprints, DoNotDependOnTimes) {
  auto slow = report_of(0.5);
  slow.seconds.waiting = 3;
  EXPECT_EQ(next_fingerprint({}, report_of(0.5)), next_fingerprint({}, slow));
}

TEST(Fingerprints, OnceDifferentStayDifferent) {
  auto one = next_fingerprint({}, report_of(0.5));
  auto other = next_fingerprint({}, report_of(0.25));
  for (int update = 0; update < 5; ++update) {
    one = next_fingerprint(one, report_of(1));
    other = next_fingerprint(other, report_of(1));
    EXPECT_NE(one.value, other.value);
  }
}

// A killed run has logged more updates than its last checkpoint counts. Seen failing when the
// surplus was not cut off.
TEST(Fingerprints, AResumedRunGoesOnAfterItsCheckpoint) {
  const TemporaryFolder folder;
  {
    auto log = *FingerprintLog::go_on(folder.path(), 0);
    for (const double norm : {1.0, 2.0, 3.0}) {
      log.add(report_of(norm), static_cast<std::int64_t>(norm) * report_of(norm).steps);
    }
    log.flush();
  }
  const auto whole = read_fingerprints(folder.path());
  ASSERT_EQ(whole.size(), 3u);
  EXPECT_EQ(whole[2].steps, 480);
  auto log = *FingerprintLog::go_on(folder.path(), 1);
  log.add(report_of(2.0), 2 * report_of(2.0).steps);
  log.add(report_of(3.0), 3 * report_of(3.0).steps);
  log.flush();
  EXPECT_EQ(read_fingerprints(folder.path()), whole);
}

TEST(Fingerprints, ARunThatBeganWithoutThemHasNone) {
  const TemporaryFolder folder;
  EXPECT_TRUE(read_fingerprints(folder.path()).empty());
  EXPECT_FALSE(FingerprintLog::go_on(folder.path(), 5));
  EXPECT_TRUE(read_fingerprints(folder.path()).empty());
}

}  // namespace
}  // namespace tandem
