#include "shrink.h"

#include <algorithm>
#include <stdexcept>

#include "tandem/base/vectorise.h"

namespace tandem {

Shrink::Shrink(const Size& from, const Size& to)
    : from_(from),
      to_(to),
      columns_(shares(from.width, to.width)),
      rows_(shares(from.height, to.height)),
      pixels_(static_cast<std::size_t>(from.width * from.height)),
      row_(static_cast<std::size_t>(from.width)) {}

Shrink::Shares Shrink::shares(std::int64_t large, std::int64_t small) {
  if (small < 1 || large < small) {
    throw std::logic_error("a picture is smaller than its observation");
  }
  Shares result{.taps = static_cast<std::size_t>((large + small - 1) / small + 1)};
  for (std::int64_t i = 0; i < small; ++i) {
    // In units of which a source pixel has `small`, so that all are whole numbers.
    const std::int64_t begin = i * large;
    const std::int64_t end = begin + large;
    const std::int64_t first = begin / small;
    for (std::int64_t tap = 0; tap < static_cast<std::int64_t>(result.taps); ++tap) {
      const std::int64_t at = std::min(first + tap, large - 1);
      const std::int64_t covered =
          std::min(end, (first + tap + 1) * small) - std::max(begin, (first + tap) * small);
      result.all.push_back(
          {.at = static_cast<std::int32_t>(at),
           .weight = static_cast<std::int32_t>(std::max<std::int64_t>(0, covered))});
    }
  }
  return result;
}

void Shrink::colours(std::span<const std::uint8_t> rgb, Colours colours,
                     std::span<std::byte> planes) {
  const auto size = static_cast<std::size_t>(to_.width * to_.height);
  if (colours == Colours::gray) {
    vectorise([&] {
      for (std::size_t at = 0; at < pixels_.size(); ++at) {
        const std::int32_t thousandths =
            299 * rgb[3 * at] + 587 * rgb[3 * at + 1] + 114 * rgb[3 * at + 2];
        pixels_[at] = static_cast<std::uint8_t>((thousandths + 500) / 1000);
      }
    });
    return plane(pixels_, planes);
  }
  for (std::size_t colour = 0; colour < 3; ++colour) {
    for (std::size_t at = 0; at < pixels_.size(); ++at) pixels_[at] = rgb[3 * at + colour];
    plane(pixels_, planes.subspan(colour * size, size));
  }
}

void Shrink::plane(std::span<const std::uint8_t> pixels, std::span<std::byte> plane) {
  const auto width = static_cast<std::size_t>(from_.width);
  const auto area = static_cast<double>(from_.width * from_.height);
  const double scale = 1 / area;
  // Half of a pixel's area rounds; a quarter of a unit keeps the product with `scale` from falling
  // just below a whole number.
  const double rounding = area / 2 + 0.25;
  vectorise([&] {
    auto* out = plane.data();
    for (std::size_t y = 0; y < static_cast<std::size_t>(to_.height); ++y) {
      std::ranges::fill(row_, 0);
      for (std::size_t tap = 0; tap < rows_.taps; ++tap) {
        const auto& share = rows_.all[y * rows_.taps + tap];
        if (share.weight == 0) continue;
        const auto* source = pixels.data() + static_cast<std::size_t>(share.at) * width;
        for (std::size_t x = 0; x < width; ++x) row_[x] += share.weight * source[x];
      }
      for (std::size_t x = 0; x < static_cast<std::size_t>(to_.width); ++x) {
        std::int32_t sum = 0;
        for (std::size_t tap = 0; tap < columns_.taps; ++tap) {
          const auto& share = columns_.all[x * columns_.taps + tap];
          sum += share.weight * row_[static_cast<std::size_t>(share.at)];
        }
        *out++ = static_cast<std::byte>(
            static_cast<std::int32_t>((static_cast<double>(sum) + rounding) * scale));
      }
    }
  });
}

}  // namespace tandem
