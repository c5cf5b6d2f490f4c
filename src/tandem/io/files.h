// Files that survive a crash, and errors of the file system with a remedy.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "tandem/base/descriptor.h"
#include "tandem/base/error.h"

namespace tandem {

/// The Error for a failed write to `path`: names it, the cause (an errno) and the remedy.
Error write_error(const std::filesystem::path& path, int cause);

/// A file being written. It has no buffer: write() passes all bytes to the operating system, so
/// they survive even a crash of the process. Throws Error (see write_error). Not thread-safe.
class OutputFile {
 public:
  /// How to treat a file that exists already.
  enum class Mode { replace, append, create };  // create: fails if the file exists

  /// Opens the file, or creates it if there is none.
  OutputFile(std::filesystem::path path, Mode mode);

  /// Writes all bytes after those written before.
  void write(std::span<const std::byte> bytes);
  /// Writes a text.
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  /// Waits until everything written is on the disk.
  void sync();

 private:
  void take_back(off_t bytes);

  std::filesystem::path path_;
  Descriptor descriptor_;
};

/// Writes a whole file and waits until it is on the disk. Its entry in the folder is durable only
/// after sync_folder().
void write_durably(const std::filesystem::path& path, std::span<const std::byte> bytes);

/// Replaces a file so that at every moment either the whole old one or the whole new one is there.
void replace_durably(const std::filesystem::path& path, std::string_view text);

/// Throws Error if replace_durably() would: the folder is missing or may not be written, or the
/// path is a folder's. For commands that have their result only after long. Leaves no trace.
void require_replaceable(const std::filesystem::path& path);

/// Waits until the entries of a folder (new files, renames) are on the disk.
void sync_folder(const std::filesystem::path& folder);

/// Creates a folder and its missing parents. Throws Error.
void make_folder(const std::filesystem::path& folder);

/// Creates a folder whose parent is there, unless it exists. Throws Error, also for a missing
/// parent.
void make_one_folder(const std::filesystem::path& folder);

/// A view of the same bytes as characters. Pure.
inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Reads the whole file. Throws Error, and names the file, when it cannot be read.
std::vector<std::byte> read_file(const std::filesystem::path& path);

}  // namespace tandem
