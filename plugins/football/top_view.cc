#include "top_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "tandem/env/canvas.h"

namespace tandem::football {
namespace {

constexpr Color kGrass = {58, 125, 52};
constexpr Color kMown = {64, 136, 58};
constexpr Color kLine = {225, 235, 225};
constexpr Color kLeftTeam = {40, 110, 235};
constexpr Color kRightTeam = {215, 60, 45};
constexpr Color kControlled = {255, 230, 60};
constexpr Color kBall = {255, 255, 255};
constexpr Color kShadow = {30, 60, 30};

// The pitch in the engine's units: its touch lines, and its areas along and across.
constexpr double kHalfBreadth = 0.42;
constexpr double kGoal = 0.044;
constexpr double kPenaltyDepth = 0.3;
constexpr double kPenaltyBreadth = 0.24;
constexpr double kGoalAreaDepth = 0.1;
constexpr double kGoalAreaBreadth = 0.11;
constexpr double kCircle = 0.167;
constexpr double kMargin = 0.06;
constexpr int kStripes = 10;

/// Draws on a canvas by the pitch's coordinates.
class Pitch {
 public:
  Pitch(int width, int height)
      : canvas_(width, height, kGrass),
        scale_(std::min(width / (2 * (1 + kMargin)), height / (2 * (kHalfBreadth + kMargin)))),
        middle_x_(width / 2.0),
        middle_y_(height / 2.0) {}

  void lawn() {
    const double width = 2.0 / kStripes;
    for (int stripe = 0; stripe < kStripes; stripe += 2) {
      canvas_.rectangle(x(-1 + stripe * width), y(-kHalfBreadth), x(-1 + (stripe + 1) * width),
                        y(kHalfBreadth), kMown);
    }
    box(-1, 1, kHalfBreadth);
    line(0, -kHalfBreadth, 0, kHalfBreadth);
    for (const double side : {-1.0, 1.0}) {
      box(side, side * (1 - kPenaltyDepth), kPenaltyBreadth);
      box(side, side * (1 - kGoalAreaDepth), kGoalAreaBreadth);
      box(side, side * (1 + kMargin / 2), kGoal);
    }
    circle();
  }

  void player(const Footballer& player, const Color& color, bool controlled) {
    if (!player.active) return;
    const auto& at = player.position;
    if (controlled) disc(at, 0.024, kControlled);
    disc(at, 0.017, color);
  }

  void ball(const Point& at) {
    disc({at.x, at.y, 0}, 0.010, kShadow);
    // A ball that is metres high looks nearer.
    disc({at.x, at.y - 0.01F * at.z, 0}, 0.009 + 0.002 * at.z, kBall);
  }

  void score(const std::array<std::int32_t, 2>& goals) {
    const double bottom = y(-kHalfBreadth - kMargin / 3);
    for (std::int32_t team = 0; team < 2; ++team) {
      for (std::int32_t goal = 0; goal < goals[static_cast<std::size_t>(team)]; ++goal) {
        const double left = x(0) + (team == 0 ? -1 : 1) * scale_ * (0.03 + 0.04 * goal);
        canvas_.rectangle(left - scale_ * 0.014, bottom - scale_ * 0.028, left + scale_ * 0.014,
                          bottom, team == 0 ? kLeftTeam : kRightTeam);
      }
    }
  }

  [[nodiscard]] const Picture& picture() const { return canvas_.picture(); }

 private:
  [[nodiscard]] double x(double at) const { return middle_x_ + at * scale_; }
  [[nodiscard]] double y(double at) const { return middle_y_ + at * scale_; }
  [[nodiscard]] double stroke() const { return std::max(1.0, 0.004 * scale_); }

  void line(double x0, double y0, double x1, double y1) {
    canvas_.line(x(x0), y(y0), x(x1), y(y1), stroke(), kLine);
  }

  void box(double x0, double x1, double half) {
    line(x0, -half, x1, -half);
    line(x0, half, x1, half);
    line(x0, -half, x0, half);
    line(x1, -half, x1, half);
  }

  void circle() {
    constexpr int kCorners = 48;
    const auto at = [](int corner) { return 2 * std::numbers::pi * corner / kCorners; };
    for (int i = 0; i < kCorners; ++i) {
      line(kCircle * std::cos(at(i)), kCircle * std::sin(at(i)), kCircle * std::cos(at(i + 1)),
           kCircle * std::sin(at(i + 1)));
    }
  }

  void disc(const Point& at, double radius, const Color& color) {
    canvas_.disc(x(at.x), y(at.y), std::max(0.75, radius * scale_), color);
  }

  Canvas canvas_;
  double scale_;  // pixels per unit
  double middle_x_;
  double middle_y_;
};

}  // namespace

Picture draw_top_view(const Situation& situation, int width, int height) {
  Pitch pitch(width, height);
  pitch.lawn();
  for (const auto& player : situation.right) pitch.player(player, kRightTeam, false);
  for (std::size_t i = 0; i < situation.left.size(); ++i) {
    const auto& owned = situation.controlled;
    const bool controlled = std::ranges::find(owned, static_cast<std::int32_t>(i)) != owned.end();
    pitch.player(situation.left[i], kLeftTeam, controlled);
  }
  pitch.ball(situation.ball);
  pitch.score(situation.goals);
  return pitch.picture();
}

}  // namespace tandem::football
