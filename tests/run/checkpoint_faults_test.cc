// Checkpoints when the process is killed or the disk refuses them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tandem/base/clock.h"
#include "tandem/base/error.h"
#include "tandem/io/files.h"
#include "tandem/io/temporary_folder.h"
#include "tandem/run/checkpoint.h"
#include "tests/support/child.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::size_t kParameters = 50'000;

Checkpoint checkpoint_of(std::size_t parameters) {
  Checkpoint checkpoint;
  const auto count = static_cast<std::int64_t>(parameters);
  checkpoint.add_tensor("weight", {count}, std::vector<float>(parameters, 0.5f));
  checkpoint.add_blob("envs", std::vector<std::byte>(1000));
  return checkpoint;
}

FoundCheckpoint latest_without_warning(const fs::path& checkpoints) {
  return find_latest(checkpoints, [](const std::string& warning) { ADD_FAILURE() << warning; });
}

int entries(const fs::path& folder) {
  return static_cast<int>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// A process that writes checkpoints of growing steps and reports each one that is written.
class Writer {
 public:
  Writer(const fs::path& checkpoints, std::int64_t first) {
    if (pipe(ends_) != 0) throw std::runtime_error("no pipe");
    process_ = fork();
    if (process_ != 0) {
      close(ends_[1]);
      return;
    }
    for (std::int64_t step = first;; ++step) {
      write_checkpoint(checkpoint_of(kParameters), checkpoints, step);
      if (write(ends_[1], &step, sizeof(step)) < 0) _exit(1);
    }
  }

  /// Kills the process; returns the last step that it reported, or `otherwise`.
  std::int64_t kill_and_read(std::int64_t otherwise) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    auto last = otherwise;
    for (std::int64_t step; read(ends_[0], &step, sizeof(step)) == sizeof(step);) last = step;
    close(ends_[0]);
    return last;
  }

 private:
  int ends_[2];
  pid_t process_;
};

// Seen failing with files written straight into the final folder, and with the older checkpoints
// deleted before the new one is renamed.
TEST(CheckpointFaultsTest, AKillAtAnyMomentLeavesTheLastOneWritten) {
  TemporaryFolder folder;
  std::int64_t last = 1;
  const Stopwatch watch;
  write_checkpoint(checkpoint_of(kParameters), folder.path(), last);
  // The range scales with the time of a write, so that some writes end before the kill on a slow
  // disk too.
  std::uniform_real_distribution<double> seconds(0, 4 * watch.seconds());
  std::mt19937 random(1);
  for (int i = 0; i < 40; ++i) {
    Writer writer(folder.path(), last + 1);
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds(random)));
    const auto told = writer.kill_and_read(last);
    last = latest_without_warning(folder.path()).step;
    ASSERT_GE(last, told);
  }
  EXPECT_GT(last, 1);
}

/// Runs `body` in a child process that may mount file systems of its own; returns "no mounts" if
/// this user may not.
std::string in_mount_namespace(const std::function<std::string()>& body) {
  return in_child([&]() -> std::string {
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return "no mounts";
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return "no mounts";
    return body();
  });
}

/// Writes a checkpoint, which must fail. Returns the error's message, the step of the newest
/// checkpoint and the number of entries in the folder.
std::string describe_failure(const fs::path& checkpoints) {
  std::string said = "no error";
  try {
    write_checkpoint(checkpoint_of(100'000), checkpoints, 2);
  } catch (const Error& error) {
    said = error.what();
  }
  const auto found = find_latest(checkpoints, [&](const auto& warning) { said += warning; });
  return said + "; step " + std::to_string(found.step) + " of " +
         std::to_string(entries(checkpoints));
}

TEST(CheckpointFaultsTest, AFullDiskLeavesTheEarlierOnes) {
  TemporaryFolder folder;
  const auto said = in_mount_namespace([&]() -> std::string {
    if (mount("none", folder.path().c_str(), "tmpfs", 0, "size=200k") != 0) return "no mounts";
    write_checkpoint(checkpoint_of(10), folder.path(), 1);
    return describe_failure(folder.path());
  });
  if (said == "no mounts") GTEST_SKIP() << "this user may not mount file systems";
  EXPECT_THAT(said, AllOf(HasSubstr("tensors.safetensors"), HasSubstr("No space left"),
                          HasSubstr("free some space"), HasSubstr("step 1 of 1")));
}

TEST(CheckpointFaultsTest, AReadOnlyDiskLeavesTheEarlierOnes) {
  TemporaryFolder folder;
  const auto said = in_mount_namespace([&]() -> std::string {
    if (mount("none", folder.path().c_str(), "tmpfs", 0, "size=1m") != 0) return "no mounts";
    write_checkpoint(checkpoint_of(10), folder.path(), 1);
    mount("none", folder.path().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr);
    return describe_failure(folder.path());
  });
  if (said == "no mounts") GTEST_SKIP() << "this user may not mount file systems";
  EXPECT_THAT(said, AllOf(HasSubstr(folder.path()), HasSubstr("Read-only file system"),
                          HasSubstr("--run-dir"), HasSubstr("step 1 of 1")));
}

TEST(CheckpointFaultsTest, ALimitOnFileSizesLeavesTheEarlierOnes) {
  TemporaryFolder folder;
  const auto said = in_child([&] {
    write_checkpoint(checkpoint_of(10), folder.path(), 1);
    const rlimit limit{65'536, 65'536};
    std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    return describe_failure(folder.path());
  });
  EXPECT_THAT(said, AllOf(HasSubstr("tensors.safetensors"), HasSubstr("File too large"),
                          HasSubstr("ulimit"), HasSubstr("step 1 of 1")));
}

// Half a line would make a file of lines unreadable. Seen failing without take_back().
TEST(CheckpointFaultsTest, AWriteThatFailsHalfwayLeavesNothingOfIt) {
  TemporaryFolder folder;
  const auto file = folder.path() / "lines";
  const auto said = in_child([&]() -> std::string {
    const rlimit limit{65'536, 65'536};
    std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    OutputFile lines(file, OutputFile::Mode::append);
    lines.write(std::string(60'000, 'a'));
    return error_of([&] { lines.write(std::string(10'000, 'b')); });
  });
  EXPECT_THAT(said, HasSubstr("File too large"));
  EXPECT_EQ(fs::file_size(file), 60'000);
}

TEST(CheckpointFaultsTest, AFolderWithoutPermissionLeavesTheEarlierOnes) {
  constexpr uid_t kNobody = 65534;  // permissions do not bind root
  TemporaryFolder folder;
  write_checkpoint(checkpoint_of(10), folder.path(), 1);
  fs::permissions(folder.path(), fs::perms{0555});
  const auto said = in_child([&]() -> std::string {
    if (geteuid() == 0 && setuid(kNobody) != 0) return "still root";
    return describe_failure(folder.path());
  });
  fs::permissions(folder.path(), fs::perms::owner_all);
  EXPECT_THAT(said, AllOf(HasSubstr(folder.path()), HasSubstr("Permission denied"),
                          HasSubstr("--run-dir"), HasSubstr("step 1 of 1")));
}

// A checkpoint that the user may not read is not damaged, and resuming from an older one would
// delete it. Seen failing when every error was taken for damage.
TEST(CheckpointFaultsTest, OneThatMayNotBeReadStopsTheSearch) {
  constexpr uid_t kNobody = 65534;
  TemporaryFolder folder;
  write_checkpoint(checkpoint_of(10), folder.path(), 1);
  const auto newest = write_checkpoint(checkpoint_of(10), folder.path(), 2);
  const auto locked = newest / "state.json";
  fs::permissions(folder.path(), fs::perms{0755});
  fs::permissions(locked, fs::perms{0});
  const auto said = in_child([&]() -> std::string {
    if (geteuid() == 0 && setuid(kNobody) != 0) return "still root";
    try {
      const auto found = latest_without_warning(folder.path());
      return "found step " + std::to_string(found.step);
    } catch (const Error& error) {
      return error.what();
    }
  });
  EXPECT_THAT(said, AllOf(HasSubstr(locked), HasSubstr("Permission denied")));
}

// A folder of a run that is gone must not come back with one checkpoint in it.
TEST(CheckpointFaultsTest, AMissingFolderOfTheRunIsNotMade) {
  TemporaryFolder folder;
  const auto run = folder.path() / "run";
  EXPECT_THAT(error_of([&] { write_checkpoint(checkpoint_of(1), run / "checkpoints", 1); }),
              HasSubstr(run));
  EXPECT_FALSE(fs::exists(run));
}

TEST(CheckpointFaultsTest, AFileInPlaceOfTheFolderIsNamed) {
  TemporaryFolder folder;
  const auto file = folder.path() / "checkpoints";
  OutputFile(file, OutputFile::Mode::create).write("not a folder");
  try {
    write_checkpoint(checkpoint_of(1), file, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr(file), HasSubstr("a file stands")));
  }
}

}  // namespace
}  // namespace tandem
