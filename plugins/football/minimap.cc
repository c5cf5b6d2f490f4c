#include "minimap.h"

#include <algorithm>
#include <cstring>

namespace tandem::football {
namespace {

// The pitch's extent in the map: -1 to 1 along it, and across it as far as its shape demands.
constexpr double kMapHalfLength = 1.0;
constexpr double kMapHalfBreadth = 1.0 / 2.25;
constexpr std::byte kMark{255};

/// The pixel of a coordinate within -half to half; beyond, the first or last one.
std::int64_t pixel(double value, double half, std::int64_t pixels) {
  const auto exact = (value + half) / (2 * half) * static_cast<double>(pixels);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(exact), 0, pixels - 1);
}

void mark(const Point& point, std::int64_t plane, std::span<std::byte> frame) {
  const auto x = pixel(point.x, kMapHalfLength, Minimap::kWidth);
  const auto y = pixel(point.y, kMapHalfBreadth, Minimap::kHeight);
  frame[static_cast<std::size_t>((plane * Minimap::kHeight + y) * Minimap::kWidth + x)] = kMark;
}

}  // namespace

void draw_minimap(const Situation& situation, std::int64_t agent, std::span<std::byte> frame) {
  std::memset(frame.data(), 0, frame.size());
  for (const auto& player : situation.left) mark(player.position, 0, frame);
  for (const auto& player : situation.right) mark(player.position, 1, frame);
  mark(situation.ball, 2, frame);
  const auto own = situation.controlled[static_cast<std::size_t>(agent)];
  if (own >= 0 && own < static_cast<std::int32_t>(situation.left.size())) {
    mark(situation.left[static_cast<std::size_t>(own)].position, 3, frame);
  }
}

}  // namespace tandem::football
