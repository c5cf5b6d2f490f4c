#include "tandem/io/tensorboard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tandem/io/temporary_folder.h"

namespace tandem {
namespace {

std::vector<std::string> event_files(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  return names;
}

// TensorBoard reads the files in the order of their names. A clock that was set back would give the
// new file an earlier time.
TEST(EventFile, ANewFileComesAfterTheOldOnes) {
  const TemporaryFolder folder;
  const std::string old = "events.out.tfevents.9000000000.000.elsewhere";
  std::ofstream(folder.path() / old) << "";
  std::ofstream(folder.path() / "events.out.tfevents.tomorrow") << "";
  { const EventFile next(folder.path()); }
  { const EventFile last(folder.path()); }
  const auto names = event_files(folder.path());
  ASSERT_EQ(names.size(), 4U);
  EXPECT_EQ(names[0], old);
  EXPECT_TRUE(names[1].starts_with("events.out.tfevents.9000000001.000.")) << names[1];
  EXPECT_TRUE(names[2].starts_with("events.out.tfevents.9000000002.000.")) << names[2];
}

}  // namespace
}  // namespace tandem
