#include "tandem/env/canvas.h"

#include <algorithm>
#include <cmath>

namespace tandem {

Canvas::Canvas(int width, int height, const Color& background)
    : picture_{.width = width, .height = height, .rgb = {}} {
  picture_.rgb.resize(static_cast<std::size_t>(width) * height * 3);
  rectangle(0, 0, width, height, background);
}

// Colours the pixels of a box whose centres lie inside a shape.
template <class Inside>
void Canvas::fill(double left, double top, double right, double bottom, const Color& color,
                  Inside inside) {
  const auto first = [](double at, int size) {
    return static_cast<int>(std::clamp(std::ceil(at - 0.5), 0.0, static_cast<double>(size)));
  };
  const int x_end = first(right, picture_.width);
  const int y_end = first(bottom, picture_.height);
  for (int y = first(top, picture_.height); y < y_end; ++y) {
    for (int x = first(left, picture_.width); x < x_end; ++x) {
      if (!inside(x + 0.5, y + 0.5)) continue;
      const auto at = (static_cast<std::size_t>(y) * picture_.width + x) * 3;
      std::copy(color.begin(), color.end(), picture_.rgb.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
}

void Canvas::rectangle(double left, double top, double right, double bottom, const Color& color) {
  fill(left, top, right, bottom, color, [](double, double) { return true; });
}

void Canvas::line(double x0, double y0, double x1, double y1, double width, const Color& color) {
  const double half = width / 2;
  const double dx = x1 - x0;
  const double dy = y1 - y0;
  const double square = dx * dx + dy * dy;
  const auto inside = [&](double x, double y) {
    const double along = ((x - x0) * dx + (y - y0) * dy) / std::max(square, 1e-12);
    const double nearest = std::clamp(along, 0.0, 1.0);
    return std::hypot(x - x0 - nearest * dx, y - y0 - nearest * dy) <= half;
  };
  fill(std::min(x0, x1) - half, std::min(y0, y1) - half, std::max(x0, x1) + half,
       std::max(y0, y1) + half, color, inside);
}

// A line without length, whose ends are round.
void Canvas::disc(double x, double y, double radius, const Color& color) {
  line(x, y, x, y, 2 * radius, color);
}

}  // namespace tandem
