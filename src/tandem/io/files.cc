#include "tandem/io/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

namespace tandem {
namespace {

namespace fs = std::filesystem;

const char* remedy(int cause) {
  switch (cause) {
    case ENOSPC:
    case EDQUOT:
      return "the disk is full: free some space, or choose another folder (--run-dir, --out)";
    case EFBIG:
      return "a limit on file sizes is in force: raise it (ulimit -f unlimited)";
    case EROFS:
      return "the file system is read-only: make it writable, or choose another folder "
             "(--run-dir, --out)";
    case EACCES:
    case EPERM:
      return "you may not write there: change the permissions, or choose another folder "
             "(--run-dir, --out)";
    case EEXIST:
    case ENOTDIR:
      return "a file stands where a folder is needed: move it away, or choose another folder "
             "(--run-dir, --out)";
    case EISDIR:
      return "name a file";
    default:
      return "check the disk and the path, or choose another folder (--run-dir, --out)";
  }
}

int flags(OutputFile::Mode mode) {
  const int common = O_WRONLY | O_CREAT | O_CLOEXEC;
  switch (mode) {
    case OutputFile::Mode::replace:
      return common | O_TRUNC;
    case OutputFile::Mode::append:
      return common | O_APPEND;
    case OutputFile::Mode::create:
      return common | O_EXCL;
  }
  return common;
}

fs::path temporary_of(const fs::path& path) {
  auto temporary = path;
  return temporary += ".tmp";
}

}  // namespace

Error write_error(const fs::path& path, int cause) {
  auto error = Error(
      fmt::format("cannot write {}: {}; {}", path.string(), std::strerror(cause), remedy(cause)));
  return error;
}

OutputFile::OutputFile(fs::path path, Mode mode)
    : path_(std::move(path)), descriptor_(open(path_.c_str(), flags(mode), 0666)) {
  if (descriptor_.get() < 0) throw write_error(path_, errno);
}

void OutputFile::write(std::span<const std::byte> bytes) {
  const auto all = bytes.size();
  while (!bytes.empty()) {
    const auto written = ::write(descriptor_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int cause = errno;
      take_back(static_cast<off_t>(all - bytes.size()));
      throw write_error(path_, cause);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

/// Removes the last bytes. A file of lines goes on once the disk has room, and half a line would
/// make it unreadable.
void OutputFile::take_back(off_t bytes) {
  const off_t end = lseek(descriptor_.get(), 0, SEEK_END);
  if (bytes == 0 || end < bytes || ftruncate(descriptor_.get(), end - bytes) != 0) return;
  lseek(descriptor_.get(), end - bytes, SEEK_SET);
}

void OutputFile::sync() {
  if (fsync(descriptor_.get()) != 0) throw write_error(path_, errno);
}

void write_durably(const fs::path& path, std::span<const std::byte> bytes) {
  OutputFile file(path, OutputFile::Mode::replace);
  file.write(bytes);
  file.sync();
}

void require_replaceable(const fs::path& path) {
  std::error_code ignored;
  if (path.filename().empty() || fs::is_directory(path, ignored)) throw write_error(path, EISDIR);
  const auto temporary = temporary_of(path);
  const OutputFile probe(temporary, OutputFile::Mode::replace);
  unlink(temporary.c_str());
}

void replace_durably(const fs::path& path, std::string_view text) {
  const auto temporary = temporary_of(path);
  try {
    write_durably(temporary, std::as_bytes(std::span(text)));
    if (rename(temporary.c_str(), path.c_str()) != 0) throw write_error(path, errno);
  } catch (...) {
    unlink(temporary.c_str());
    throw;
  }
  sync_folder(path.parent_path());
}

void sync_folder(const fs::path& folder) {
  const fs::path path = folder.empty() ? "." : folder;
  const Descriptor descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.get() < 0) throw write_error(path, errno);
  // Some network file systems cannot sync a folder and say so; their renames are durable anyway.
  if (fsync(descriptor.get()) != 0 && errno != EINVAL) throw write_error(path, errno);
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw write_error(folder, error.value());
  if (!fs::is_directory(folder, error)) throw write_error(folder, ENOTDIR);
}

void make_one_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directory(folder, error);
  if (error) throw write_error(folder, error.value());
}

std::vector<std::byte> read_file(const fs::path& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);  // fails for a folder, too
  std::ifstream stream(path, std::ios::binary);
  if (error || !stream) {
    const auto cause = error ? error.message() : std::strerror(errno);
    throw Error(fmt::format("cannot read {}: {}; check the path and its permissions", path.string(),
                            cause));
  }
  std::vector<std::byte> bytes(size);
  if (!stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size))) {
    throw Error(fmt::format("cannot read {}: it ends early", path.string()));
  }
  return bytes;
}

}  // namespace tandem
