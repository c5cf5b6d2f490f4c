// The right to write into a folder.
#pragma once

#include <filesystem>
#include <string>

namespace tandem {

/// While one exists, no other process (nor another lock of this process) can lock the folder. The
/// lock ends with the process, however that ends. It leaves the file `.lock` there. Movable, not
/// thread-safe.
class FolderLock {
 public:
  /// Throws Error when the folder is locked, and proposes to choose another one by `option`.
  FolderLock(const std::filesystem::path& folder, const std::string& option);
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;

 private:
  int descriptor_;  // closing it unlocks the folder
};

/// Whether the folder holds anything except the file of a lock, held or left over.
[[nodiscard]] bool holds_files(const std::filesystem::path& folder);

}  // namespace tandem
