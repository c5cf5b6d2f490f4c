#include "tandem/io/compressed_bytes.h"

#include <zstd.h>

#include <cstdint>
#include <memory>

namespace tandem {
namespace {

constexpr int kZstdLevel = 1;  // the fastest

}  // namespace

std::optional<std::vector<std::byte>> compress_bytes(std::span<const std::byte> plain) {
  std::vector<std::byte> packed(ZSTD_compressBound(plain.size()));
  const auto size =
      ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), kZstdLevel);
  if (ZSTD_isError(size) != 0 || size >= plain.size()) return std::nullopt;
  packed.resize(size);
  return packed;
}

std::optional<std::vector<std::byte>> decompress_bytes(std::span<const std::byte> packed) {
  const std::uint64_t size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) return std::nullopt;
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          &ZSTD_freeDStream);
  std::vector<std::byte> plain;
  std::vector<std::byte> some(ZSTD_DStreamOutSize());
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::size_t left = 1;  // 0 at the end of the frame
  while (left != 0) {
    ZSTD_outBuffer out{some.data(), some.size(), 0};
    left = ZSTD_decompressStream(stream.get(), &out, &in);
    const bool is_cut = left != 0 && out.pos == 0 && in.pos == in.size;
    if (ZSTD_isError(left) != 0 || is_cut || plain.size() + out.pos > size) return std::nullopt;
    plain.insert(plain.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(out.pos));
  }
  if (plain.size() != size || in.pos != in.size) return std::nullopt;
  return plain;
}

}  // namespace tandem
