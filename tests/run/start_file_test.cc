#include "tandem/run/start_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tandem/base/sha256.h"
#include "tandem/io/files.h"
#include "tandem/io/temporary_folder.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class StartFileTest : public testing::Test {
 protected:
  std::string read() const { return std::string(as_text(read_file(file_))); }
  void write(const std::string& text) const { std::ofstream(file_, std::ios::binary) << text; }
  std::string error() const {
    return error_of([&] { (void)read_starts(file_); });
  }

  TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "pong.starts";
  const StartFile content_ = {.env = "atari:Pong",
                              .options = {{"frame_skip", "4"}, {"sticky", "0.25"}},
                              .policy = "paac with a2c after 1000 steps of training",
                              .seed = 7,
                              .starts = {{{std::byte{1}, std::byte{2}}, {std::byte{3}}, 40},
                                         {{std::byte{4}}, {std::byte{5}, std::byte{6}}, 0}}};
};

TEST_F(StartFileTest, IsReadAsItWasWritten) {
  write_starts(content_, file_);
  const auto read = read_starts(file_);
  EXPECT_EQ(read.env, content_.env);
  EXPECT_EQ(read.options, content_.options);
  EXPECT_EQ(read.policy, content_.policy);
  EXPECT_EQ(read.seed, 7U);
  ASSERT_EQ(read.starts.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.starts[i].env, content_.starts[i].env);
    EXPECT_EQ(read.starts[i].observations, content_.starts[i].observations);
    EXPECT_EQ(read.starts[i].steps, content_.starts[i].steps);
  }
}

// Seen failing without the hash.
TEST_F(StartFileTest, AnyChangedByteIsFound) {
  write_starts(content_, file_);
  const auto whole = read();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    auto changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    write(changed);
    EXPECT_THAT(error(), HasSubstr(file_.string())) << at;
  }
}

TEST_F(StartFileTest, AnEarlyEndIsFound) {
  write_starts(content_, file_);
  const auto whole = read();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write(whole.substr(0, size));
    EXPECT_THAT(error(), HasSubstr(file_.string())) << size;
  }
}

TEST_F(StartFileTest, AnotherVersionIsNamed) {
  write_starts(content_, file_);
  auto text = read();
  const std::size_t body = std::string("tandem starts\n").size() + 64;
  text[body] = 9;
  const auto bytes = std::as_bytes(std::span(text)).subspan(body);
  text.replace(body - 64, 64, sha256_hex(bytes));
  write(text);
  EXPECT_THAT(error(), AllOf(HasSubstr("version 9"), HasSubstr("reads version 1")));
}

TEST_F(StartFileTest, OtherFilesAreRefused) {
  EXPECT_THAT(error(), HasSubstr(file_.string()));  // there is none
  write("step,return\n1,2\n");
  EXPECT_THAT(error(), AllOf(HasSubstr("is no file of starts"), HasSubstr("tandem starts RUN")));
}

}  // namespace
}  // namespace tandem
