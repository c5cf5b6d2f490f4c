// Files that survive a crash, and errors of the file system that say what to do.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "tandem/base/error.h"

namespace tandem {

/// The Error for a failed write to `path`: names it, the cause (an errno) and the remedy.
Error write_error(const std::filesystem::path& path, int cause);

/// A file being written. Unbuffered: the operating system has everything that write() took, so it
/// outlives the process however that ends. Throws Error (see write_error). Not thread-safe.
class OutputFile {
 public:
  /// The fate of a file that is there already.
  enum class Mode { replace, append, create };  // create: fails when the file is there already

  /// Opens the file, and makes it where there is none.
  OutputFile(std::filesystem::path path, Mode mode);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  /// Writes all of the bytes behind those before.
  void write(std::span<const std::byte> bytes);
  /// Writes a text.
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  /// Waits until everything written is on the disk.
  void sync();

 private:
  std::filesystem::path path_;
  int descriptor_;
};

/// Writes a whole file and waits until it is on the disk. Its entry in the folder is durable after
/// sync_folder().
void write_durably(const std::filesystem::path& path, std::span<const std::byte> bytes);

/// Replaces a file so that at every moment either the whole old one or the whole new one is there.
void replace_durably(const std::filesystem::path& path, std::string_view text);

/// Waits until the entries of a folder (new files, renames) are on the disk.
void sync_folder(const std::filesystem::path& folder);

/// Creates a folder and those above it. Throws Error.
void make_folder(const std::filesystem::path& folder);

/// The same bytes as letters; a view of them. Pure.
inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Reads the whole file. Throws Error, and names the file, when it cannot be read.
std::vector<std::byte> read_file(const std::filesystem::path& path);

}  // namespace tandem
