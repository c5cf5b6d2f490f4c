// SHA-256, for manifests of checkpoints and for naming parameters and ROMs by their bits.
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

  /// Feeds the next bytes.
  void add(std::span<const std::byte> bytes);

  /// The hash of everything added, as 64 lower-case hexadecimal digits. It ends the hash, so call
  /// it once.
  [[nodiscard]] std::string hex();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// The 64 digits of these bytes' hash.
std::string sha256_hex(std::span<const std::byte> bytes);

/// The hash of a whole file. Throws Error when it cannot be read.
std::string sha256_hex_of_file(const std::filesystem::path& file);

}  // namespace tandem
