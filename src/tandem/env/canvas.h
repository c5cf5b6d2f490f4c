// Simple drawing for the pictures of small environments.
#pragma once

#include <array>
#include <cstdint>

#include "tandem/env/env.h"

namespace tandem {

/// Red, green and blue.
using Color = std::array<std::uint8_t, 3>;

/// A picture to draw on. Coordinates are pixels from the upper left corner; drawing outside has no
/// effect. Not thread-safe.
class Canvas {
 public:
  /// A picture of the background alone.
  Canvas(int width, int height, const Color& background);

  /// Fills a rectangle.
  void rectangle(double left, double top, double right, double bottom, const Color& color);

  /// A line with round ends.
  void line(double x0, double y0, double x1, double y1, double width, const Color& color);

  /// A disc around a middle.
  void disc(double x, double y, double radius, const Color& color);

  /// The picture as it is now.
  [[nodiscard]] const Picture& picture() const { return picture_; }

 private:
  template <class Inside>
  void fill(double left, double top, double right, double bottom, const Color& color,
            Inside inside);

  Picture picture_;
};

}  // namespace tandem
