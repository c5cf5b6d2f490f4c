#include "tandem/run/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "tandem/base/error.h"
#include "tandem/io/files.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr auto kLock = ".lock";
constexpr int kAttempts = 5;
constexpr std::chrono::milliseconds kPause(20);

Descriptor lock_or_throw(const fs::path& folder, const std::string& option) {
  const auto file = folder / kLock;
  Descriptor descriptor(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (descriptor.get() < 0) throw write_error(file, errno);
  // `tandem track` holds the lock for a moment when it looks whether a process trains there.
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (flock(descriptor.get(), LOCK_EX | LOCK_NB) == 0) return descriptor;
    if (errno != EWOULDBLOCK) throw write_error(file, errno);
    std::this_thread::sleep_for(kPause);
  }
  throw Error(
      fmt::format("another process is training into {}: wait until it ends or stop it, or "
                  "train in another folder ({})",
                  folder.string(), option));
}

/// Whether the path leads to the open file. An error of the file system tells nothing of a move,
/// and the next write reports it.
bool leads_to(const fs::path& file, int descriptor) {
  struct stat locked = {};
  struct stat found = {};
  if (fstat(descriptor, &locked) != 0) return true;
  if (stat(file.c_str(), &found) != 0) return errno != ENOENT && errno != ENOTDIR;
  return found.st_dev == locked.st_dev && found.st_ino == locked.st_ino;
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder, const std::string& option)
    : folder_(folder), descriptor_(lock_or_throw(folder, option)) {
  // The folder may have gone between the opening of the file and its lock.
  require_in_place();
}

// Closing the descriptor would not do where the process was forked, as by Python's multiprocessing:
// the child has it, too.
FolderLock::~FolderLock() {
  if (descriptor_.get() >= 0) flock(descriptor_.get(), LOCK_UN);
}

void FolderLock::require_in_place() const {
  if (leads_to(folder_ / kLock, descriptor_.get())) return;
  throw Error(
      fmt::format("{} was moved, renamed or removed while this process wrote there, or its file {} "
                  "was; nothing is written in its place: move the folder back, or go on with it "
                  "where it lies now",
                  folder_.string(), kLock));
}

bool holds_files(const fs::path& folder, std::string_view besides) {
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  return std::ranges::any_of(entries, [&](const auto& entry) {
    const std::string name = entry.path().filename();
    return name != kLock && (besides.empty() || !name.starts_with(besides));
  });
}

}  // namespace tandem
