#include "tandem/replay/frame_codec.h"

#include <fmt/format.h>
#include <lz4.h>
#include <png.h>
#include <zstd.h>

#include <cstring>
#include <new>
#include <utility>

#include "tandem/base/error.h"

namespace tandem {
namespace {

// Frames are small and similar, so a higher level saves little memory.
constexpr int kZstdLevel = 1;

[[noreturn]] void fail_damaged() {
  throw Error("a frame of the replay cannot be decompressed; its bytes are damaged");
}

png_image picture(const FrameFormat& format) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(format.width);
  image.height = static_cast<png_uint_32>(format.frame_bytes) / image.width;
  image.format = PNG_FORMAT_GRAY;
  image.flags = PNG_IMAGE_FLAG_FAST;
  return image;
}

}  // namespace

Compression compression_of(const std::string& name) {
  if (name == "none") return Compression::none;
  if (name == "lz4") return Compression::lz4;
  if (name == "zstd") return Compression::zstd;
  if (name == "png") return Compression::png;
  throw Error(fmt::format("replay.compression: unknown '{}'; use none, lz4, zstd or png", name));
}

FrameFormat frame_format(const EnvSpec& spec, Compression compression) {
  const bool picture = spec.dtype == DType::u8 && spec.frame_shape.size() == 3;
  if (compression == Compression::png && !picture) {
    throw Error(
        "replay.compression: png keeps pictures, and this environment shows none; use "
        "none, lz4 or zstd");
  }
  return {.frame_bytes = spec.frame_bytes(),
          .stack = spec.stack,
          .action_dims = spec.discrete() ? 0 : static_cast<std::size_t>(spec.action_dims()),
          .width = picture ? spec.frame_shape.back() : 0,
          .compression = compression};
}

struct FrameCodec::Contexts {
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  std::unique_ptr<ZSTD_CCtx, Free> to{ZSTD_createCCtx()};
  std::unique_ptr<ZSTD_DCtx, Free> from{ZSTD_createDCtx()};
};

FrameCodec::FrameCodec(const FrameFormat& format) : format_(format) {
  if (format.compression != Compression::zstd) return;
  contexts_ = std::make_unique<Contexts>();
  if (!contexts_->to || !contexts_->from) throw std::bad_alloc();
}

FrameCodec::~FrameCodec() = default;
FrameCodec::FrameCodec(FrameCodec&&) noexcept = default;
FrameCodec& FrameCodec::operator=(FrameCodec&&) noexcept = default;

void FrameCodec::encode(std::span<const std::byte> frame, std::vector<std::byte>& out) {
  const auto* data = reinterpret_cast<const char*>(frame.data());
  const auto size = static_cast<int>(frame.size());
  std::size_t made = 0;
  switch (format_.compression) {
    case Compression::none:
      out.insert(out.end(), frame.begin(), frame.end());
      return;
    case Compression::lz4:
      room_.resize(static_cast<std::size_t>(LZ4_compressBound(size)));
      made = static_cast<std::size_t>(LZ4_compress_default(
          data, reinterpret_cast<char*>(room_.data()), size, static_cast<int>(room_.size())));
      break;
    case Compression::zstd:
      room_.resize(ZSTD_compressBound(frame.size()));
      made = ZSTD_compressCCtx(contexts_->to.get(), room_.data(), room_.size(), data, frame.size(),
                               kZstdLevel);
      if (ZSTD_isError(made)) throw std::bad_alloc();  // its only error in a room of this size
      break;
    case Compression::png: {
      auto image = picture(format_);
      room_.resize(PNG_IMAGE_PNG_SIZE_MAX(image));
      made = room_.size();
      if (png_image_write_to_memory(&image, room_.data(), &made, 0, data, 0, nullptr) == 0) {
        throw std::runtime_error(fmt::format("libpng: {}", image.message));
      }
      break;
    }
  }
  out.insert(out.end(), room_.begin(), room_.begin() + static_cast<std::ptrdiff_t>(made));
}

void FrameCodec::decode(std::span<const std::byte> encoded, std::byte* frame) {
  const auto bytes = format_.frame_bytes;
  switch (format_.compression) {
    case Compression::none:
      if (encoded.size() != bytes) fail_damaged();
      std::memcpy(frame, encoded.data(), bytes);
      return;
    case Compression::lz4: {
      const auto read = LZ4_decompress_safe(
          reinterpret_cast<const char*>(encoded.data()), reinterpret_cast<char*>(frame),
          static_cast<int>(encoded.size()), static_cast<int>(bytes));
      if (read != static_cast<int>(bytes)) fail_damaged();
      return;
    }
    case Compression::zstd:
      if (ZSTD_decompressDCtx(contexts_->from.get(), frame, bytes, encoded.data(),
                              encoded.size()) != bytes) {
        fail_damaged();
      }
      return;
    case Compression::png: {
      png_image image{};
      image.version = PNG_IMAGE_VERSION;
      const auto expected = picture(format_);
      if (png_image_begin_read_from_memory(&image, encoded.data(), encoded.size()) == 0) {
        fail_damaged();
      }
      image.format = PNG_FORMAT_GRAY;
      const bool same = image.width == expected.width && image.height == expected.height;
      if (!same) png_image_free(&image);
      if (!same || png_image_finish_read(&image, nullptr, frame, 0, nullptr) == 0) fail_damaged();
      return;
    }
  }
}

}  // namespace tandem
