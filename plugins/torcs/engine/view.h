// A view of coloured faces by a small renderer: what a driver sees.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tandem::torcs {

/// A point or a direction: metres, z is up.
struct Point {
  float x = 0;
  float y = 0;
  float z = 0;
};

struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
};

/// Four corners in order around a face, which need not be flat.
struct Face {
  std::array<Point, 4> corners;
  Colour colour;
};

/// A place to look from, with directions of length 1.
struct Camera {
  Point eye;
  Point ahead;
  Point left;
  Point up;
};

/// Draws faces over a sky and a ground; the nearest face hides the others. Not thread-safe.
class View {
 public:
  /// A picture of so many pixels, which is 67 degrees high.
  View(int width, int height);

  /// Clears the picture to a sky and a ground of this colour.
  void begin(const Camera& camera, Colour ground);

  void draw(const Face& face);

  /// The picture: red, green and blue of each pixel, the top row first.
  [[nodiscard]] std::vector<std::uint8_t> picture() const;

 private:
  struct Corner {
    float x, y, depth;
  };

  void draw_triangle(const std::array<Point, 3>& corners, Colour colour);
  void fill(const Corner& a, const Corner& b, const Corner& c, Colour colour);
  [[nodiscard]] Point seen(const Point& point) const;
  [[nodiscard]] Corner project(const Point& seen) const;

  int width_;  // with twice the pixels of the picture each way, against jagged edges
  int height_;
  float scale_;
  Camera camera_;
  std::vector<Colour> colours_;
  std::vector<float> nearness_;  // 1 / distance of what is drawn
};

}  // namespace tandem::torcs
