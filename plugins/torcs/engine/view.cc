// SPDX-License-Identifier: GPL-2.0-or-later
#include "view.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tandem::torcs {
namespace {

constexpr float kNearest = 0.2F;         // metres; nearer things are cut off
constexpr float kHalfHeight = 0.66188F;  // the tangent of half of 67 degrees
constexpr std::size_t kShades = 64;
constexpr Colour kZenith = {70, 120, 215};
constexpr Colour kHorizon = {190, 215, 240};

float dot(const Point& a, const Point& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

std::uint8_t between(std::uint8_t from, std::uint8_t to, float part) {
  const auto start = static_cast<float>(from);
  return static_cast<std::uint8_t>(start + (static_cast<float>(to) - start) * part);
}

Colour between(Colour from, Colour to, float part) {
  return {between(from.red, to.red, part), between(from.green, to.green, part),
          between(from.blue, to.blue, part)};
}

/// The point of a line at the nearest distance that is drawn; x is the distance ahead.
Point cut(const Point& a, const Point& b) {
  const float part = (kNearest - a.x) / (b.x - a.x);
  return {kNearest, a.y + (b.y - a.y) * part, a.z + (b.z - a.z) * part};
}

}  // namespace

View::View(int width, int height)
    : width_(2 * width),
      height_(2 * height),
      scale_(static_cast<float>(height) / kHalfHeight),
      colours_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_)),
      nearness_(colours_.size()) {}

void View::begin(const Camera& camera, Colour ground) {
  camera_ = camera;
  std::ranges::fill(nearness_, 0.0F);
  std::array<Colour, kShades> sky{};
  for (std::size_t shade = 0; shade < kShades; ++shade) {
    sky[shade] = between(kHorizon, kZenith, static_cast<float>(shade) / (kShades - 1));
  }
  auto* pixel = colours_.data();
  for (int row = 0; row < height_; ++row) {
    const float up = (static_cast<float>(height_) / 2 - static_cast<float>(row) - 0.5F) / scale_;
    for (int column = 0; column < width_; ++column) {
      const float left =
          (static_cast<float>(width_) / 2 - static_cast<float>(column) - 0.5F) / scale_;
      const float rise = camera.ahead.z + left * camera.left.z + up * camera.up.z;
      const float shade = std::min(1.0F, 1.5F * rise) * (kShades - 1);
      *pixel++ = rise < 0 ? ground : sky[static_cast<std::size_t>(std::max(0.0F, shade))];
    }
  }
}

void View::draw(const Face& face) {
  const auto& [a, b, c, d] = face.corners;
  draw_triangle({a, b, c}, face.colour);
  draw_triangle({a, c, d}, face.colour);
}

Point View::seen(const Point& point) const {
  const Point way = {point.x - camera_.eye.x, point.y - camera_.eye.y, point.z - camera_.eye.z};
  return {dot(way, camera_.ahead), dot(way, camera_.left), dot(way, camera_.up)};
}

View::Corner View::project(const Point& seen) const {
  const float nearness = 1 / seen.x;
  return {static_cast<float>(width_) / 2 - seen.y * nearness * scale_,
          static_cast<float>(height_) / 2 - seen.z * nearness * scale_, nearness};
}

/// Cuts off the part behind the camera, which leaves none, three or four corners.
void View::draw_triangle(const std::array<Point, 3>& corners, Colour colour) {
  std::array<Corner, 4> kept{};
  std::size_t count = 0;
  auto last = seen(corners[2]);
  for (const auto& corner : corners) {
    const auto next = seen(corner);
    if ((next.x < kNearest) != (last.x < kNearest)) kept[count++] = project(cut(last, next));
    if (next.x >= kNearest) kept[count++] = project(next);
    last = next;
  }
  if (count >= 3) fill(kept[0], kept[1], kept[2], colour);
  if (count == 4) fill(kept[0], kept[2], kept[3], colour);
}

/// Nearness is linear in the picture's plane, and so are the three shares of the corners.
void View::fill(const Corner& a, const Corner& b, const Corner& c, Colour colour) {
  const float area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  if (!(std::abs(area) > 0)) return;  // a line, or a corner that is no number
  // The first row or column whose middle is not before a place.
  const auto first = [](float place, int size) {
    return static_cast<int>(std::clamp(place + 0.5F, 0.0F, static_cast<float>(size)));
  };
  const int left = first(std::min({a.x, b.x, c.x}), width_);
  const int right = first(std::max({a.x, b.x, c.x}), width_);
  const int top = first(std::min({a.y, b.y, c.y}), height_);
  const int bottom = first(std::max({a.y, b.y, c.y}), height_);
  if (left == right || top == bottom) return;
  const float b_by_x = (c.y - a.y) / area;
  const float b_by_y = (a.x - c.x) / area;
  const float c_by_x = (a.y - b.y) / area;
  const float c_by_y = (b.x - a.x) / area;
  for (int row = top; row < bottom; ++row) {
    const float y = static_cast<float>(row) + 0.5F - a.y;
    const auto begin = static_cast<std::size_t>(row) * static_cast<std::size_t>(width_);
    bool inside = false;
    for (int column = left; column < right; ++column) {
      const float x = static_cast<float>(column) + 0.5F - a.x;
      const float share_b = x * b_by_x + y * b_by_y;
      const float share_c = x * c_by_x + y * c_by_y;
      if (share_b < 0 || share_c < 0 || share_b + share_c > 1) {
        if (inside) break;  // a triangle has one piece in a row
        continue;
      }
      inside = true;
      const auto pixel = begin + static_cast<std::size_t>(column);
      const float nearness =
          a.depth + share_b * (b.depth - a.depth) + share_c * (c.depth - a.depth);
      if (nearness <= nearness_[pixel]) continue;
      nearness_[pixel] = nearness;
      colours_[pixel] = colour;
    }
  }
}

std::vector<std::uint8_t> View::picture() const {
  std::vector<std::uint8_t> picture;
  picture.reserve(3 * colours_.size() / 4);
  const auto width = static_cast<std::size_t>(width_);
  for (std::size_t row = 0; row < static_cast<std::size_t>(height_); row += 2) {
    const auto* above = &colours_[row * width];
    const auto* below = above + width;
    for (std::size_t at = 0; at < width; at += 2) {
      const auto mean = [&](std::uint8_t Colour::*part) {
        const int sum =
            above[at].*part + above[at + 1].*part + below[at].*part + below[at + 1].*part;
        return static_cast<std::uint8_t>((sum + 2) / 4);
      };
      picture.push_back(mean(&Colour::red));
      picture.push_back(mean(&Colour::green));
      picture.push_back(mean(&Colour::blue));
    }
  }
  return picture;
}

}  // namespace tandem::torcs
