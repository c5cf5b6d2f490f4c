#include "tandem/run/folder_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <tuple>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/io/temporary_folder.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

class FolderLockTest : public testing::Test {
 protected:
  [[nodiscard]] FolderLock lock() const { return {folder_.path(), "--out"}; }
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / ".lock"; }

  const TemporaryFolder folder_;
};

TEST_F(FolderLockTest, OutlivesTheLossOfItsFile) {
  const auto own = lock();
  for (int time = 0; time < 2; ++time) {
    std::filesystem::remove(file());
    EXPECT_NO_THROW(own.require_in_place());
    EXPECT_THAT(error_of([&] { std::ignore = lock(); }),
                testing::HasSubstr("another process is training"));
  }
}

TEST_F(FolderLockTest, YieldsToOneThatWasTakenAfterTheLossOfItsFile) {
  const auto own = lock();
  std::filesystem::remove(file());
  {
    const auto other = lock();
    EXPECT_THAT(error_of([&] { own.require_in_place(); }),
                testing::AllOf(testing::HasSubstr(file().string()),
                               testing::HasSubstr("another process may train")));
    EXPECT_NO_THROW(other.require_in_place());
  }
  EXPECT_THROW(own.require_in_place(), Error) << "the other one may have written";
}

TEST_F(FolderLockTest, EndsWithItsObjectAlsoAfterTheLossOfItsFile) {
  {
    auto own = lock();
    std::filesystem::remove(file());
    own.require_in_place();
    const auto moved = std::move(own);
    EXPECT_NO_THROW(moved.require_in_place());
  }
  EXPECT_NO_THROW(std::ignore = lock());
}

}  // namespace
}  // namespace tandem
