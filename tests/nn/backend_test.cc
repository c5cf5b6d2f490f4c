#include "tandem/nn/backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "tandem/io/temporary_folder.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr char kVariable[] = "TANDEM_BACKEND_PATH";

class BackendTest : public testing::Test {
 protected:
  BackendTest() : before_(std::getenv(kVariable)) { look_in(TANDEM_BINARY_DIR "/test_backends"); }
  ~BackendTest() override { look_in(before_); }

  static void look_in(const std::string& path) { setenv(kVariable, path.c_str(), 1); }

  static std::string complaint(const std::string& name) {
    return error_of([&] { static_cast<void>(load_backend(name)); });
  }

  std::string before_;
  TemporaryFolder folder_;
};

TEST_F(BackendTest, AMissingOneSaysWhereItLookedAndWhatToDo) {
  look_in(folder_.path().string());
  EXPECT_THAT(complaint("torch"), AllOf(HasSubstr("libtorch"), HasSubstr("tandem_torch.so"),
                                        HasSubstr(folder_.path().string()), HasSubstr("make torch"),
                                        HasSubstr(kVariable), HasSubstr("--device cpu")));
}

TEST_F(BackendTest, RefusesAnotherInterface) {
  EXPECT_THAT(complaint("old"),
              AllOf(HasSubstr("tandem_old.so"), HasSubstr("999"), HasSubstr("Rebuild it")));
}

TEST_F(BackendTest, RefusesASharedObjectThatIsNoBackend) {
  EXPECT_THAT(complaint("empty"), AllOf(HasSubstr("tandem_empty.so"), HasSubstr("no backend")));
}

TEST_F(BackendTest, RefusesAFileThatIsNoSharedObject) {
  std::ofstream(folder_.path() / "tandem_text.so") << "just text";
  look_in(folder_.path().string());
  EXPECT_THAT(complaint("text"), AllOf(HasSubstr("tandem_text.so"), HasSubstr("cannot be loaded")));
}

}  // namespace
}  // namespace tandem
