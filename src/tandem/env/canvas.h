// Simple drawing for the pictures of small environments.
#pragma once

#include <array>
#include <cstdint>

#include "tandem/env/env.h"

namespace tandem {

using Color = std::array<std::uint8_t, 3>;  // red, green, blue

/// A picture to draw on. Coordinates are pixels from the upper left corner; drawing outside has no
/// effect. Not thread-safe.
class Canvas {
 public:
  Canvas(int width, int height, const Color& background);

  void rectangle(double left, double top, double right, double bottom, const Color& color);

  /// A line with round ends.
  void line(double x0, double y0, double x1, double y1, double width, const Color& color);

  [[nodiscard]] const Picture& picture() const { return picture_; }

 private:
  template <class Inside>
  void fill(double left, double top, double right, double bottom, const Color& color,
            Inside inside);

  Picture picture_;
};

}  // namespace tandem
