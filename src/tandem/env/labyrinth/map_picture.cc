#include "tandem/env/labyrinth/map_picture.h"

#include <algorithm>
#include <vector>

#include "tandem/env/canvas.h"
#include "tandem/env/labyrinth/textures.h"
#include "tandem/env/labyrinth/view.h"

namespace tandem::labyrinth {
namespace {

constexpr int kScale = 5;  // pixels of the picture for one that the agent sees
constexpr int kSide = kScale * kViewSize;
constexpr int kMargin = 12;
constexpr int kWidth = 2 * kSide + 3 * kMargin;
constexpr int kHeight = kSide + 2 * kMargin;

constexpr Color kBackground = {22, 24, 30};
constexpr Color kRed = {226, 40, 44};
constexpr Color kLeafGreen = {84, 190, 70};
constexpr Color kGone = {118, 112, 110};
constexpr Color kPortalEdge = {60, 90, 255};
constexpr Color kPortalMiddle = {190, 255, 250};
constexpr Color kPath = {255, 214, 60};
constexpr Color kOldPath = {128, 126, 140};
constexpr Color kOutline = {20, 20, 26};
constexpr Color kBody = {255, 255, 255};

/// The colour on the way from `color` to `other`, by a share of 1.
Color mixed(const Color& color, const Color& other, double share) {
  Color result{};
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = static_cast<std::uint8_t>(color[i] + (other[i] - color[i]) * share);
  }
  return result;
}

double cells(std::int64_t length) { return static_cast<double>(length) / kOne; }

/// Draws on the right half of a canvas, in units of cells.
class Map {
 public:
  Map(Canvas& canvas, const World& world)
      : canvas_(canvas),
        world_(world),
        maze_(world.maze()),
        agent_(world.agent()),
        cell_(static_cast<double>(kSide) / maze_.size) {}

  void draw(std::span<const Waypoint> path) {
    draw_floors();
    draw_sight();
    draw_walls();
    draw_path(path);
    draw_objects();
    draw_agent();
  }

 private:
  /// Calls `draw` with each cell that is or is not a wall, and with the colour of its texture.
  template <class Draw>
  void for_each(bool wall, const Draw& draw) {
    for (std::int32_t row = 0; row < maze_.size; ++row) {
      for (std::int32_t column = 0; column < maze_.size; ++column) {
        const Cell cell{column, row};
        if (maze_.wall(cell) == wall) draw(cell, mean_color(maze_.surfaces[maze_.index(cell)]));
      }
    }
  }

  /// Floors are darker than in the view, so that paths stand out.
  void draw_floors() {
    for_each(/*wall=*/false, [this](Cell cell, const Color& color) {
      fill(cell, mixed(color, kBackground, 0.62));
    });
  }

  /// Makes the floor lighter as far as each ray of the view goes. Walls hide the lines' ends.
  void draw_sight() {
    constexpr Color kLight = {112, 108, 92};
    const auto columns = cast_rays(maze_, agent_);
    for (std::size_t i = 0; i < columns.depth.size(); ++i) {
      const double depth = cells(columns.depth[i]);
      line(cells(agent_.x), cells(agent_.y), cells(agent_.x) + depth * cells(columns.ray_x[i]),
           cells(agent_.y) + depth * cells(columns.ray_y[i]), 0.3, kLight);
    }
  }

  void draw_walls() {
    for_each(/*wall=*/true, [this](Cell cell, const Color& color) { fill(cell, color); });
  }

  void draw_path(std::span<const Waypoint> path) {
    std::size_t newest = 0;
    for (std::size_t i = 0; i < path.size(); ++i) newest = path[i].begins ? i : newest;
    for (std::size_t i = 1; i < path.size(); ++i) {
      if (path[i].begins) continue;
      const bool old = i < newest;
      line(cells(path[i - 1].x), cells(path[i - 1].y), cells(path[i].x), cells(path[i].y),
           old ? 0.08 : 0.14, old ? kOldPath : kPath);
    }
  }

  void draw_objects() {
    const double portal_x = cells(middle(maze_.portal.x));
    const double portal_y = cells(middle(maze_.portal.y));
    disc(portal_x, portal_y, 0.46, kOutline);
    disc(portal_x, portal_y, 0.42, kPortalEdge);
    disc(portal_x, portal_y, 0.28, kPortalMiddle);
    disc(portal_x, portal_y, 0.12, kPortalEdge);
    for (std::size_t apple = 0; apple < maze_.apples.size(); ++apple) {
      const double x = cells(middle(maze_.apples[apple].x));
      const double y = cells(middle(maze_.apples[apple].y));
      if (!world_.ripe(apple)) {
        disc(x, y, 0.12, kGone);
        continue;
      }
      disc(x, y, 0.31, kOutline);
      line(x, y - 0.2, x + 0.14, y - 0.36, 0.12, kLeafGreen);
      disc(x, y, 0.26, kRed);
    }
  }

  /// An arrow head.
  void draw_agent() {
    const double east = cells(cosine(agent_.angle));
    const double south = cells(sine(agent_.angle));
    const auto head = [&](double size, double width, const Color& color) {
      const double x = cells(agent_.x);
      const double y = cells(agent_.y);
      for (const double side : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
        line(x + size * east, y + size * south, x - size * (east + 0.75 * side * south),
             y - size * (south - 0.75 * side * east), width, color);
      }
    };
    head(0.42, 0.26, kOutline);
    head(0.38, 0.14, kBody);
  }

  void fill(Cell cell, const Color& color) {
    canvas_.rectangle(left(cell.x), top(cell.y), left(cell.x + 1), top(cell.y + 1), color);
  }

  void line(double x0, double y0, double x1, double y1, double width, const Color& color) {
    canvas_.line(left(x0), top(y0), left(x1), top(y1), width * cell_, color);
  }

  void disc(double x, double y, double radius, const Color& color) {
    canvas_.disc(left(x), top(y), radius * cell_, color);
  }

  [[nodiscard]] double left(double x) const { return kSide + 2 * kMargin + x * cell_; }
  [[nodiscard]] double top(double y) const { return kMargin + y * cell_; }

  Canvas& canvas_;
  const World& world_;
  const Maze& maze_;
  const Agent& agent_;
  double cell_;  // pixels on a side
};

void show_view(const World& world, Canvas& canvas) {
  constexpr std::size_t kPlane = std::size_t{kViewSize} * kViewSize;
  std::vector<std::byte> frame(3 * kPlane);
  draw_view(world, frame);
  for (std::size_t at = 0; at < kPlane; ++at) {
    const Color color = {static_cast<std::uint8_t>(frame[at]),
                         static_cast<std::uint8_t>(frame[kPlane + at]),
                         static_cast<std::uint8_t>(frame[2 * kPlane + at])};
    const auto pixel = static_cast<int>(at);
    const int left = kMargin + kScale * (pixel % kViewSize);
    const int top = kMargin + kScale * (pixel / kViewSize);
    canvas.rectangle(left, top, left + kScale, top + kScale, color);
  }
}

}  // namespace

Picture draw_map(const World& world, std::span<const Waypoint> path) {
  Canvas canvas(kWidth, kHeight, kBackground);
  show_view(world, canvas);
  Map(canvas, world).draw(path);
  return canvas.picture();
}

}  // namespace tandem::labyrinth
