#include "tandem/base/mendable.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

namespace tandem {
namespace {

// Seen failing when a thread that cannot be started was called a bug.
TEST(Mendable, HasWordsForWhatTheUserCanMend) {
  const auto again = std::make_error_code(std::errc::resource_unavailable_try_again);
  EXPECT_NE(mendable(std::system_error(again)).value().find("ulimit -u"), std::string::npos);
  EXPECT_NE(mendable(std::bad_alloc()).value().find("fewer environments"), std::string::npos);
  const auto full = std::make_error_code(std::errc::no_space_on_device);
  const std::filesystem::filesystem_error of_disk("cannot write", "runs/a", full);
  EXPECT_NE(mendable(of_disk).value().find("runs/a"), std::string::npos);
}

TEST(Mendable, HasNoneForABug) {
  const auto other = std::make_error_code(std::errc::operation_not_permitted);
  EXPECT_FALSE(mendable(std::system_error(other)));
  EXPECT_FALSE(mendable(std::logic_error("a contract")));
}

}  // namespace
}  // namespace tandem
