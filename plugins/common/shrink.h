// Observations from pictures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tandem {

/// The colours of an observation.
enum class Colours { rgb, gray };

/// Makes pictures of one size smaller: each pixel becomes the mean over the area that it covers, as
/// by OpenCV's INTER_AREA. It computes in whole numbers, so the results are the same bits on every
/// CPU; a half is rounded up. Not thread-safe: the calls share buffers.
class Shrink {
 public:
  /// Width and height of a picture, in pixels. Value type.
  struct Size {
    std::int64_t width = 0;
    std::int64_t height = 0;
  };

  /// Throws std::logic_error if `to` is wider or higher than `from`.
  Shrink(const Size& from, const Size& to);

  /// Writes a picture (red, green and blue of each pixel, row by row) as planes of bytes: three, or
  /// one with the gray of ITU-R BT.601.
  void colours(std::span<const std::uint8_t> rgb, Colours colours, std::span<std::byte> planes);

  /// Writes a picture that has one byte for each pixel.
  void plane(std::span<const std::uint8_t> pixels, std::span<std::byte> plane);

 private:
  /// The part of a source pixel that a small pixel covers along one dimension.
  struct Share {
    std::int32_t at;
    std::int32_t weight;  // all weights of a small pixel add up to the source's length
  };

  /// The shares of each small pixel along one dimension, `taps` for each; unused ones weigh 0.
  struct Shares {
    std::size_t taps = 0;
    std::vector<Share> all = {};
  };

  static Shares shares(std::int64_t large, std::int64_t small);

  Size from_;
  Size to_;
  Shares columns_;
  Shares rows_;
  std::vector<std::uint8_t> pixels_;  // a plane of the source
  std::vector<std::int32_t> row_;     // of the source, its rows already weighed
};

}  // namespace tandem
