// Compression of frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tandem/env/env.h"

namespace tandem {

/// How a replay compresses frames. Ape-X (section 4.1) uses PNG; LZ4 and zstd are faster to read.
enum class Compression { none, lz4, zstd, png };

/// The compression of this name. Throws Error for an unknown name.
Compression compression_of(const std::string& name);

/// The sizes of the observations and actions that a replay keeps. Value type.
struct FrameFormat {
  std::size_t frame_bytes = 0;                  // of one frame, uncompressed
  std::int64_t stack = 1;                       // frames stacked in an observation
  std::size_t action_dims = 0;                  // of continuous actions; 0: discrete
  std::int64_t width = 0;                       // of a frame in pixels of one byte; 0: no picture
  Compression compression = Compression::none;  // of each frame

  /// Bytes of a stacked observation.
  [[nodiscard]] std::size_t observation_bytes() const {
    return frame_bytes * static_cast<std::size_t>(stack);
  }

  bool operator==(const FrameFormat&) const = default;
};

/// The format of an environment's frames. Throws Error for PNG if the frames are not pictures.
FrameFormat frame_format(const EnvSpec& spec, Compression compression);

/// Compresses and decompresses frames. Not thread-safe; each thread has its own.
class FrameCodec {
 public:
  /// For frames of this format.
  explicit FrameCodec(const FrameFormat& format);
  ~FrameCodec();
  FrameCodec(FrameCodec&&) noexcept;
  FrameCodec& operator=(FrameCodec&&) noexcept;

  /// Appends the frame to `out`, compressed as the format says.
  void encode(std::span<const std::byte> frame, std::vector<std::byte>& out);

  /// Decompresses a frame of frame_bytes bytes that encode() made. Throws Error when the data are
  /// damaged.
  void decode(std::span<const std::byte> encoded, std::byte* frame);

 private:
  struct Contexts;

  FrameFormat format_;
  std::unique_ptr<Contexts> contexts_;
  std::vector<std::byte> room_;
};

}  // namespace tandem
