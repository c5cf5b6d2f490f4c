// Frames in fewer bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tandem/env/env.h"

namespace tandem {

/// How a replay keeps frames. Ape-X (section 4.1) has
/// PNG; LZ4 and zstd are faster to read.
enum class Compression { none, lz4, zstd, png };

/// The one of this name; throws Error for another.
Compression compression_of(const std::string& name);

/// What a replay needs to know of the observations and actions it keeps. Value type.
struct FrameFormat {
  std::size_t frame_bytes = 0;                  // of one frame, uncompressed
  std::int64_t stack = 1;                       // frames of an observation
  std::size_t action_dims = 0;                  // of continuous actions; 0: discrete
  std::int64_t width = 0;                       // of a frame as a picture of bytes; 0: it is none
  Compression compression = Compression::none;  // how each frame is kept

  /// Bytes of a stacked observation.
  [[nodiscard]] std::size_t observation_bytes() const {
    return frame_bytes * static_cast<std::size_t>(stack);
  }

  bool operator==(const FrameFormat&) const = default;
};

/// The format of an environment's frames. Throws Error for PNG where they are no pictures.
FrameFormat frame_format(const EnvSpec& spec, Compression compression);

/// Compresses frames and brings them back. Not thread-safe: one for each thread.
class FrameCodec {
 public:
  /// For frames of this format.
  explicit FrameCodec(const FrameFormat& format);
  ~FrameCodec();
  FrameCodec(FrameCodec&&) noexcept;
  FrameCodec& operator=(FrameCodec&&) noexcept;

  /// Appends the frame to `out`, compressed as the format says.
  void encode(std::span<const std::byte> frame, std::vector<std::byte>& out);

  /// The frame, whose size is frame_bytes, from what encode() made. Throws Error when that is
  /// damaged.
  void decode(std::span<const std::byte> encoded, std::byte* frame);

 private:
  struct Contexts;

  FrameFormat format_;
  std::unique_ptr<Contexts> contexts_;
  std::vector<std::byte> room_;
};

}  // namespace tandem
