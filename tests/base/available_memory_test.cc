#include "tandem/base/available_memory.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tandem/io/temporary_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

class CgroupTest : public testing::Test {
 protected:
  void limit(const fs::path& group, const std::string& most, int used, const std::string& stat) {
    fs::create_directories(root_ / group);
    std::ofstream(root_ / group / "memory.max") << most << "\n";
    std::ofstream(root_ / group / "memory.current") << used << "\n";
    std::ofstream(root_ / group / "memory.stat") << stat;
  }

  std::optional<std::int64_t> left_to(const std::string& membership) {
    std::ofstream(folder_.path() / "cgroup") << membership;
    return cgroup_bytes(root_, folder_.path() / "cgroup");
  }

  TemporaryFolder folder_;
  fs::path root_ = folder_.path() / "root";
};

// Slurm and systemd limit a group below the root. Meant to fail when the root alone was read.
TEST_F(CgroupTest, TheLeastLimitOnTheWayToTheRootCounts) {
  limit("job", "1000", 300, "");
  limit("job/step", "max", 300, "");
  EXPECT_EQ(left_to("0::/job/step\n"), 700);
  limit("job/step", "500", 300, "");
  EXPECT_EQ(left_to("0::/job/step\n"), 200);
  EXPECT_EQ(left_to("0::/other\n"), std::nullopt);
}

// A container sees its own group as the root, and perhaps another path in its membership.
TEST_F(CgroupTest, AContainersLimitIsAtTheRoot) {
  limit("", "1000", 300, "");
  EXPECT_EQ(left_to("0::/\n"), 700);
  EXPECT_EQ(left_to("0::/kubepods/pod1\n"), 700);
  EXPECT_EQ(left_to(""), 700);
}

// Files that a resumed run reads twice are active. Meant to fail when these counted as used.
TEST_F(CgroupTest, CachedFilesCountAsFree) {
  limit("", "1000", 990, "anon 100\nactive_file 600\ninactive_file 200\n");
  EXPECT_EQ(left_to("0::/\n"), 810);
}

}  // namespace
}  // namespace tandem
