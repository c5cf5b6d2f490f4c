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
#include <utility>

#include "tandem/base/descriptor.h"
#include "tandem/base/error.h"
#include "tandem/io/files.h"
#include "tandem/sync/annotations.h"
#include "tandem/sync/mutex.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr auto kLock = ".lock";
constexpr int kAttempts = 5;
constexpr std::chrono::milliseconds kPause(20);

/// Whether this process can lock the open file. `tandem track` holds the lock for a moment when it
/// looks whether a process trains there.
bool take_lock(int descriptor, const fs::path& file) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK) throw write_error(file, errno);
    std::this_thread::sleep_for(kPause);
  }
  return false;
}

Descriptor lock_or_throw(const fs::path& folder, const std::string& option) {
  const auto file = folder / kLock;
  Descriptor descriptor(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (descriptor.get() < 0) throw write_error(file, errno);
  if (take_lock(descriptor.get(), file)) return descriptor;
  throw Error(
      fmt::format("another process is training into {}: wait until it ends or stop it, or "
                  "train in another folder ({})",
                  folder.string(), option));
}

Descriptor open_folder(const fs::path& folder) {
  Descriptor descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.get() < 0) throw write_error(folder, errno);
  return descriptor;
}

/// Whether the path leads to the open file or folder. An error of the file system tells nothing of
/// a move, and the next write reports it.
bool leads_to(const fs::path& path, int descriptor) {
  struct stat opened = {};
  struct stat found = {};
  if (fstat(descriptor, &opened) != 0) return true;
  if (stat(path.c_str(), &found) != 0) return errno != ENOENT && errno != ENOTDIR;
  return found.st_dev == opened.st_dev && found.st_ino == opened.st_ino;
}

}  // namespace

/// The folder and its locked file.
class FolderLock::Held {
 public:
  Held(fs::path folder, const std::string& option)
      : path_(std::move(folder)),
        file_(lock_or_throw(path_, option)),
        folder_(open_folder(path_)) {}
  // Closing the descriptor would not do where the process was forked, as by Python's
  // multiprocessing: the child has it, too.
  ~Held() { flock(file_.get(), LOCK_UN); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  void require_in_place() TANDEM_EXCLUDES(mutex_) {
    const Lock lock(mutex_);
    if (leads_to(path_ / kLock, file_.get())) return;
    if (leads_to(path_, folder_.get())) return lock_again();
    throw Error(
        fmt::format("{} was moved, renamed or removed while this process wrote there; nothing is "
                    "written in its place: move the folder back, or go on with it where it lies "
                    "now",
                    path_.string()));
  }

 private:
  /// Makes the lost file anew. Only one that this process makes is sure to be without a lock until
  /// now; another one means that another process may have written into the folder.
  void lock_again() TANDEM_REQUIRES(mutex_) {
    const auto path = path_ / kLock;
    Descriptor file(openat(folder_.get(), kLock, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.get() < 0 && errno != EEXIST) throw write_error(path, errno);
    if (file.get() >= 0 && take_lock(file.get(), path)) {
      file_ = std::move(file);
      return;
    }
    throw Error(
        fmt::format("the lock {} of this process was removed, and there is another one, so "
                    "another process may train into the folder; this one writes nothing there any "
                    "more: when no process trains there, go on from the last checkpoint",
                    path.string()));
  }

  const fs::path path_;
  Mutex mutex_;
  Descriptor file_ TANDEM_GUARDED_BY(mutex_);
  const Descriptor folder_;
};

FolderLock::FolderLock(const fs::path& folder, const std::string& option)
    : held_(std::make_unique<Held>(folder, option)) {
  // The folder may have gone between the opening of the file and its lock.
  require_in_place();
}

FolderLock::FolderLock(FolderLock&&) noexcept = default;
FolderLock& FolderLock::operator=(FolderLock&&) noexcept = default;
FolderLock::~FolderLock() = default;

void FolderLock::require_in_place() const { held_->require_in_place(); }

bool holds_files(const fs::path& folder, std::string_view besides) {
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  return std::ranges::any_of(entries, [&](const auto& entry) {
    const std::string name = entry.path().filename();
    return name != kLock && (besides.empty() || !name.starts_with(besides));
  });
}

}  // namespace tandem
