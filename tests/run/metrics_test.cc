#include "tandem/run/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/io/temporary_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class MetricsTest : public testing::Test {
 protected:
  std::vector<std::string> lines() {
    std::ifstream stream(file());
    std::vector<std::string> all;
    for (std::string line; std::getline(stream, line);) all.push_back(line);
    return all;
  }
  fs::path file() { return folder_.path() / "metrics.jsonl"; }

  TemporaryFolder folder_;
};

TEST_F(MetricsTest, WritesALineAtOnceAndInOrder) {
  MetricsLog log(folder_.path());
  log.write(160, {{"frames", 640}, {"loss/value", 0.5}});
  EXPECT_THAT(lines(), ElementsAre(R"({"steps":160,"frames":640,"loss/value":0.5})"));
}

TEST_F(MetricsTest, AResumeCutsLaterLines) {
  {
    MetricsLog log(folder_.path());
    for (const int steps : {10, 20, 30, 40}) log.write(steps, {{"x", steps}});
  }
  MetricsLog log(folder_.path(), 20);
  log.write(25, {{"x", 1}});
  EXPECT_THAT(lines(), ElementsAre(R"({"steps":10,"x":10})", R"({"steps":20,"x":20})",
                                   R"({"steps":25,"x":1})"));
}

TEST_F(MetricsTest, AResumeCutsAnUnfinishedLine) {
  std::ofstream(file()) << R"({"steps":10})"
                        << "\n"
                        << R"({"steps":11)";
  MetricsLog log(folder_.path(), 20);
  log.write(21, nlohmann::ordered_json::object());
  EXPECT_THAT(lines(), ElementsAre(R"({"steps":10})", R"({"steps":21})"));
}

// Seen cutting all lines from the damaged one on.
TEST_F(MetricsTest, AResumeKeepsWhatFollowsADamagedLine) {
  std::ofstream(file()) << "{\"steps\":10}\n\n{\"steps\":1?}\n{\"steps\":15}\n{\"steps\":40}\n";
  MetricsLog log(folder_.path(), 20);
  EXPECT_THAT(lines(), ElementsAre(R"({"steps":10})", "", R"({"steps":1?})", R"({"steps":15})"));
}

TEST_F(MetricsTest, AResumeBeforeTheFirstLineStartsAnew) {
  std::ofstream(file()) << R"({"steps":10})"
                        << "\n";
  MetricsLog log(folder_.path(), 0);
  EXPECT_TRUE(lines().empty());
}

TEST_F(MetricsTest, EachStartHasAnEventFileOfItsOwn) {
  MetricsLog(folder_.path()).write(10, {{"x", 1}});
  MetricsLog(folder_.path(), 10).write(20, {{"x", 1}});
  int events = 0;
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    events += entry.path().filename().string().starts_with("events.out.tfevents.") ? 1 : 0;
  }
  EXPECT_EQ(events, 2);
}

TEST_F(MetricsTest, AFullDiskIsAnError) {
  fs::create_symlink("/dev/full", file());
  MetricsLog log(folder_.path());
  EXPECT_THROW(log.write(1, {{"x", 1}}), Error);
}

}  // namespace
}  // namespace tandem
