// SHA-256, which identifies the files of checkpoints and the final parameters of a run.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace tandem {

/// A hash of data that are added piece by piece. Not thread-safe; separate instances are
/// independent.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  /// Appends bytes to the data.
  void add(std::span<const std::byte> bytes);

  /// The hash of everything added, as 64 lower-case hexadecimal digits. The call
  /// ends the hash, so call it only once.
  [[nodiscard]] std::string hex();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// The hash of these bytes, as 64 hexadecimal digits.
std::string sha256_hex(std::span<const std::byte> bytes);

/// The hash of a whole file, as 64 hexadecimal digits. Throws Error when it cannot be read.
std::string sha256_hex_of_file(const std::filesystem::path& file);

}  // namespace tandem
