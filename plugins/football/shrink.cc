#include "shrink.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace tandem::football {
namespace {

/// The part of a source pixel that a small pixel covers along one dimension.
struct Share {
  std::int64_t at = 0;
  double weight = 0;  // all weights of a small pixel add up to 1
};

/// For each of `small` pixels, its shares of `large` ones.
std::vector<std::vector<Share>> shares(std::int64_t large, std::int64_t small) {
  const double ratio = static_cast<double>(large) / static_cast<double>(small);
  std::vector<std::vector<Share>> all(static_cast<std::size_t>(small));
  for (std::int64_t i = 0; i < small; ++i) {
    const double begin = static_cast<double>(i) * ratio;
    const double end = begin + ratio;
    for (auto at = static_cast<std::int64_t>(begin); at < large; ++at) {
      const double covered =
          std::min(end, static_cast<double>(at + 1)) - std::max(begin, static_cast<double>(at));
      if (covered <= 1e-9) break;
      all[static_cast<std::size_t>(i)].push_back({at, covered / ratio});
    }
  }
  return all;
}

/// The value of one pixel of a plane: a colour, or the gray of ITU-R BT.601.
double value(const std::uint8_t* rgb, Colours colours, std::size_t plane) {
  if (colours == Colours::rgb) return rgb[plane];
  return std::round(0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]);
}

}  // namespace

void shrink(const Picture& picture, Colours colours, std::int64_t width, std::int64_t height,
            std::span<std::byte> planes) {
  if (picture.width < width || picture.height < height) {
    throw std::logic_error("a picture is smaller than its observation");
  }
  const auto columns = shares(picture.width, width);
  const auto rows = shares(picture.height, height);
  const std::size_t count = colours == Colours::rgb ? 3 : 1;
  auto* out = planes.data();
  for (std::size_t plane = 0; plane < count; ++plane) {
    for (const auto& row : rows) {
      for (const auto& column : columns) {
        double sum = 0;
        for (const auto& [y, down] : row) {
          for (const auto& [x, across] : column) {
            const auto* rgb = &picture.rgb[static_cast<std::size_t>(3 * (y * picture.width + x))];
            sum += down * across * value(rgb, colours, plane);
          }
        }
        *out++ = static_cast<std::byte>(std::lround(sum));
      }
    }
  }
}

}  // namespace tandem::football
