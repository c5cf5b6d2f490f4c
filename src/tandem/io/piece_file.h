// A file for data that are too large to be copied in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tandem/base/sha256.h"
#include "tandem/base/state.h"
#include "tandem/io/files.h"

struct ZSTD_CCtx_s;

namespace tandem {

/// Writes pieces into a file, each compressed by itself: its compressed length in bytes as a u32,
/// then its zstd frame. Not thread-safe. Throws Error as OutputFile does.
class PieceWriter {
 public:
  /// Creates the file, or empties an existing one.
  explicit PieceWriter(const std::filesystem::path& file);

  /// Compresses one piece and writes it.
  void put(std::span<const std::byte> piece);

  /// The description of the file in a manifest. Value type.
  struct Written {
    std::uint64_t bytes = 0;  // of the file
    std::string sha256;       // 64 hexadecimal digits
  };
  /// Waits until the file is on the disk; call it once, last.
  Written finish();

 private:
  void write(std::span<const std::byte> bytes);

  OutputFile file_;
  std::unique_ptr<ZSTD_CCtx_s, std::size_t (*)(ZSTD_CCtx_s*)> packer_;
  Sha256 hash_;
  std::uint64_t bytes_ = 0;
  std::vector<std::byte> room_;
};

/// Reads the pieces of such a file. Throws Error for a damaged one.
void read_pieces(const std::filesystem::path& file, const TakePiece& take);

}  // namespace tandem
