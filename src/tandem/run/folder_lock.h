// The right to write into a folder.
#pragma once

#include <filesystem>
#include <string>

namespace tandem {

/// While one exists, no other process (nor another lock of this one) has the folder; the lock ends
/// with the process, however that ends. Leaves the file `.lock` there. Movable, not thread-safe.
class FolderLock {
 public:
  /// Throws Error when the folder is locked, proposing another one by `option`.
  FolderLock(const std::filesystem::path& folder, const std::string& option);
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;

 private:
  int descriptor_;  // the lock goes with it
};

/// Whether the folder holds anything but the file of a lock, kept or left.
[[nodiscard]] bool holds_files(const std::filesystem::path& folder);

}  // namespace tandem
