// A folder that lasts as long as the object that made it.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "tandem/io/files.h"

namespace tandem {

/// Creates an empty folder; the destructor deletes it with its content. Throws Error when it cannot
/// be created. Not thread-safe.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tandem-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw write_error(name, errno);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tandem
