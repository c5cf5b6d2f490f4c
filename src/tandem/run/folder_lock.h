// The right to write into a folder.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace tandem {

/// Locks a folder for as long as it exists: no other process, and no other FolderLock of this
/// process, can lock it. The lock ends with the process, even if the process is killed. The file
/// `.lock` stays in the folder. Movable, not thread-safe, except that any thread may call
/// require_in_place().
class FolderLock {
 public:
  /// Throws Error when the folder is locked. The message names `option` as the way to choose
  /// another folder.
  FolderLock(const std::filesystem::path& folder, const std::string& option);
  FolderLock(FolderLock&&) noexcept;
  FolderLock& operator=(FolderLock&&) noexcept;
  ~FolderLock();

  /// Throws Error if the folder's path no longer leads to the folder that is locked: it was moved,
  /// renamed or removed, and another process may write into a new one of its name. Where only
  /// `.lock` was removed, locks the folder by a new one; throws Error if another process was first.
  void require_in_place() const;

 private:
  class Held;
  std::unique_ptr<Held> held_;  // null: moved from
};

/// Whether the folder holds anything but the file `.lock`, and files whose names begin with
/// `besides` if that is given.
[[nodiscard]] bool holds_files(const std::filesystem::path& folder, std::string_view besides = {});

}  // namespace tandem
