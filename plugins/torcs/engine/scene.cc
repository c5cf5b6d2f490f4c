// SPDX-License-Identifier: GPL-2.0-or-later
#include "scene.h"

#include <car.h>
#include <robottools.h>
#include <track.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

namespace tandem::torcs {
namespace {

constexpr float kSliceMetres = 5;
constexpr float kTilt = 0.1F;        // radians by which a driver looks down
constexpr float kLineMetres = 0.4F;  // the white lines at the edges of the road
constexpr Colour kWhite = {235, 235, 235};
constexpr Colour kRed = {200, 40, 40};

/// Shades every second slice, so that a driver sees its speed.
Colour shaded(Colour colour, float factor) {
  const auto part = [factor](std::uint8_t value) {
    return static_cast<std::uint8_t>(std::min(255.0F, static_cast<float>(value) * factor));
  };
  return {part(colour.red), part(colour.green), part(colour.blue)};
}

Colour colour_of(const tTrackSeg& segment) {
  const std::string_view material = segment.surface->material;
  const auto has = [material](std::string_view part) {
    return material.find(part) != std::string_view::npos;
  };
  if (has("grass")) return {60, 135, 50};
  if (has("sand")) return {205, 185, 120};
  if (has("dirt") || has("mud") || has("gravel")) return {140, 105, 70};
  if (has("concrete")) return {150, 150, 145};
  if (has("curb")) return kRed;
  return {95, 95, 100};
}

/// A point of a segment of the road, `right` metres from the road's right edge and `along` its
/// start, in metres or, in a curve, radians.
Point point_of(tTrackSeg* segment, float along, float right, float height = 0) {
  tTrkLocPos place{};
  place.seg = segment;
  place.type = TR_LPOS_MAIN;
  place.toStart = along;
  place.toRight = right;
  Point point;
  RtTrackLocal2Global(&place, &point.x, &point.y, TR_TORIGHT);
  point.z = RtTrackHeightL(&place) + height;
  return point;
}

/// One slice of a segment of the road, from one place along it to another.
class SliceMaker {
 public:
  SliceMaker(tTrackSeg* segment, float from, float to, bool dark)
      : segment_(segment), from_(from), to_(to), shade_(dark ? 0.9F : 1.0F) {}

  Slice make() {
    const float width = segment_->width;
    strip(0, width, 0, width, colour_of(*segment_));
    strip(0, kLineMetres, 0, kLineMetres, kWhite, 0.02F);
    strip(width - kLineMetres, width, width - kLineMetres, width, kWhite, 0.02F);
    if (segment_->lgfromstart == 0 && from_ == 0) start_line(width);
    side(TR_SIDE_RGT, 0, 0, -1);
    side(TR_SIDE_LFT, width, width, 1);
    slice_.middle = point_of(segment_, (from_ + to_) / 2, width / 2);
    return std::move(slice_);
  }

 private:
  /// A strip of the ground between two distances from the right edge, at its start and at its end.
  void strip(float right, float left, float right_end, float left_end, Colour colour,
             float height = 0) {
    slice_.faces.push_back(
        {{point_of(segment_, from_, right, height), point_of(segment_, from_, left, height),
          point_of(segment_, to_, left_end, height), point_of(segment_, to_, right_end, height)},
         shaded(colour, shade_)});
  }

  void start_line(float width) {
    const float end = std::min(to_, from_ + (to_ - from_) / 5);
    slice_.faces.push_back(
        {{point_of(segment_, from_, 0, 0.03F), point_of(segment_, from_, width, 0.03F),
          point_of(segment_, end, width, 0.03F), point_of(segment_, end, 0, 0.03F)},
         kWhite});
  }

  /// Curbs, verges and the wall behind them, outwards from an edge of the road.
  void side(int which, float at, float at_end, float outwards) {
    for (auto* part = segment_->side[which]; part != nullptr; part = part->side[which]) {
      const float to = at + outwards * RtTrackGetWidth(part, from_);
      const float to_end = at_end + outwards * RtTrackGetWidth(part, to_);
      const bool curb = part->style == TR_CURB;
      strip(at, to, at_end, to_end, curb ? (shade_ < 1 ? kWhite : kRed) : colour_of(*part));
      at = to;
      at_end = to_end;
    }
    const auto* barrier = segment_->barrier[which];
    if (barrier == nullptr || barrier->height <= 0) return;
    slice_.faces.push_back({{point_of(segment_, from_, at), point_of(segment_, to_, at_end),
                             point_of(segment_, to_, at_end, barrier->height),
                             point_of(segment_, from_, at, barrier->height)},
                            shade_ < 1 ? Colour{120, 120, 160} : Colour{175, 175, 195}});
  }

  tTrackSeg* segment_;
  float from_;
  float to_;
  float shade_;
  Slice slice_;
};

Point in_world(const CarElt& car, float x, float y, float z) {
  const auto& m = car._posMat;
  return {m[3][0] + x * m[0][0] + y * m[1][0] + z * m[2][0],
          m[3][1] + x * m[0][1] + y * m[1][1] + z * m[2][1],
          m[3][2] + x * m[0][2] + y * m[1][2] + z * m[2][2]};
}

/// A box in a car's own directions, without its floor.
void add_box(std::vector<Face>& faces, const CarElt& car, const Point& least, const Point& most,
             Colour colour) {
  const auto corner = [&](int x, int y, int z) {
    return in_world(car, x != 0 ? most.x : least.x, y != 0 ? most.y : least.y,
                    z != 0 ? most.z : least.z);
  };
  const auto add = [&](std::array<Point, 4> corners, float shade) {
    faces.push_back({corners, shaded(colour, shade)});
  };
  add({corner(0, 0, 1), corner(1, 0, 1), corner(1, 1, 1), corner(0, 1, 1)}, 1.15F);  // top
  add({corner(0, 0, 0), corner(0, 1, 0), corner(0, 1, 1), corner(0, 0, 1)}, 0.85F);  // back
  add({corner(1, 0, 0), corner(1, 1, 0), corner(1, 1, 1), corner(1, 0, 1)}, 0.95F);  // front
  add({corner(0, 0, 0), corner(1, 0, 0), corner(1, 0, 1), corner(0, 0, 1)}, 0.7F);   // right
  add({corner(0, 1, 0), corner(1, 1, 0), corner(1, 1, 1), corner(0, 1, 1)}, 0.7F);   // left
}

}  // namespace

std::vector<Slice> make_slices(void* of) {
  auto* track = static_cast<tTrack*>(of);
  std::vector<Slice> slices;
  auto* segment = track->seg->next;
  for (int at = 0; at < track->nseg; ++at, segment = segment->next) {
    const int count = std::max(1, static_cast<int>(std::ceil(segment->length / kSliceMetres)));
    const float whole = segment->type == TR_STR ? segment->length : segment->arc;
    for (int part = 0; part < count; ++part) {
      const auto place = [&](int n) {
        return whole * static_cast<float>(n) / static_cast<float>(count);
      };
      const bool dark = slices.size() % 2 == 1;
      slices.push_back(SliceMaker(segment, place(part), place(part + 1), dark).make());
    }
  }
  return slices;
}

std::vector<Face> make_car(const CarElt& car) {
  constexpr std::array<Colour, 6> kColours = {{{215, 30, 30},
                                               {240, 200, 30},
                                               {40, 70, 220},
                                               {230, 120, 30},
                                               {160, 40, 190},
                                               {30, 190, 200}}};
  const auto colour = kColours[static_cast<std::size_t>(car.index) % kColours.size()];
  const float length = car._dimension_x / 2;
  const float width = car._dimension_y / 2;
  const float low = 0.1F - car._statGC_z;
  const float high = car._dimension_z - car._statGC_z;
  const float waist = (low + high) / 2;
  std::vector<Face> faces;
  add_box(faces, car, {-length, -width, low}, {length, width, waist}, colour);
  add_box(faces, car, {-0.6F * length, -0.85F * width, waist},
          {0.35F * length, 0.85F * width, high}, {40, 45, 55});
  return faces;
}

Camera driver_of(const CarElt& car) {
  const auto& m = car._posMat;
  const float cosine = std::cos(kTilt);
  const float sine = std::sin(kTilt);
  const auto turned = [&](float x, float z) -> Point {
    return {x * m[0][0] + z * m[2][0], x * m[0][1] + z * m[2][1], x * m[0][2] + z * m[2][2]};
  };
  return {.eye = in_world(car, car._drvPos_x, car._drvPos_y, car._drvPos_z),
          .ahead = turned(cosine, -sine),
          .left = {m[1][0], m[1][1], m[1][2]},
          .up = turned(sine, cosine)};
}

}  // namespace tandem::torcs
