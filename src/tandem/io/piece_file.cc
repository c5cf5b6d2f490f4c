#include "tandem/io/piece_file.h"

#include <fmt/format.h>
#include <zstd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <new>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/io/compressed_bytes.h"

namespace tandem {
namespace {

constexpr int kCompressionLevel = 1;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 31;  // of an uncompressed piece

[[noreturn]] void throw_damaged(const std::filesystem::path& file) {
  throw Error(fmt::format("{} is damaged: a piece of it cannot be read", file.string()));
}

}  // namespace

// A frame has a checksum, because files that Python saves have no manifest with another one.
PieceWriter::PieceWriter(const std::filesystem::path& file)
    : file_(file, OutputFile::Mode::replace), packer_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
  if (packer_ == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(packer_.get(), ZSTD_c_compressionLevel, kCompressionLevel);
  ZSTD_CCtx_setParameter(packer_.get(), ZSTD_c_checksumFlag, 1);
}

void PieceWriter::write(std::span<const std::byte> bytes) {
  file_.write(bytes);
  hash_.add(bytes);
  bytes_ += bytes.size();
}

void PieceWriter::put(std::span<const std::byte> piece) {
  room_.resize(ZSTD_compressBound(piece.size()));
  const auto size =
      ZSTD_compress2(packer_.get(), room_.data(), room_.size(), piece.data(), piece.size());
  if (ZSTD_isError(size) || piece.size() > kMostBytes) throw std::logic_error("too large a piece");
  const auto length = static_cast<std::uint32_t>(size);
  write(std::as_bytes(std::span(&length, 1)));
  write(std::span(room_).first(size));
}

PieceWriter::Written PieceWriter::finish() {
  file_.sync();
  return {.bytes = bytes_, .sha256 = hash_.hex()};
}

void read_pieces(const std::filesystem::path& file, const TakePiece& take) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file)) {
    throw Error(fmt::format("cannot read {}: {}; check its path", file.string(),
                            std::generic_category().message(in ? EISDIR : errno)));
  }
  std::error_code unknown;
  const std::uintmax_t file_bytes = std::filesystem::file_size(file, unknown);
  std::vector<std::byte> packed;
  for (;;) {
    std::array<char, sizeof(std::uint32_t)> head{};
    in.read(head.data(), head.size());
    if (in.gcount() == 0 && in.eof()) return;
    if (!in) throw_damaged(file);
    const auto length = std::bit_cast<std::uint32_t>(head);
    if (length > file_bytes) throw_damaged(file);  // before so much memory is taken
    packed.resize(length);
    in.read(reinterpret_cast<char*>(packed.data()), static_cast<std::streamsize>(packed.size()));
    if (!in) throw_damaged(file);
    const auto size = ZSTD_getFrameContentSize(packed.data(), packed.size());
    if (size > kMostBytes) throw_damaged(file);  // zstd's error codes are greater still
    // Takes memory as the bytes come, not as a damaged frame says.
    const auto piece = decompress_bytes(packed);
    if (!piece) throw_damaged(file);
    take(*piece);
  }
}

}  // namespace tandem
