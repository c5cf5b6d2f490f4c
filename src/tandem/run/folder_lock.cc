#include "tandem/run/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/io/files.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr auto kLock = ".lock";

int lock_or_throw(const fs::path& folder, const std::string& option) {
  const auto file = folder / kLock;
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) throw write_error(file, errno);
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  const int cause = errno;
  close(descriptor);
  if (cause != EWOULDBLOCK) throw write_error(file, cause);
  throw Error(
      fmt::format("another process is training into {}: wait until it ends or stop it, or "
                  "train in another folder ({})",
                  folder.string(), option));
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder, const std::string& option)
    : descriptor_(lock_or_throw(folder, option)) {}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

bool holds_files(const fs::path& folder) {
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  return std::ranges::any_of(entries, [](const auto& e) { return e.path().filename() != kLock; });
}

}  // namespace tandem
