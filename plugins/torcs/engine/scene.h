// The faces that a driver sees: the track with its verges and walls, and the other cars.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <vector>

#include "view.h"

struct CarElt;

namespace tandem::torcs {

/// A piece of the track, a few metres long. Value type.
struct Slice {
  Point middle;
  std::vector<Face> faces;
};

/// A track's slices, in its order. `track` is TORCS's tTrack. Made once a race.
[[nodiscard]] std::vector<Slice> make_slices(void* track);

/// The faces of a car, as it stands now.
[[nodiscard]] std::vector<Face> make_car(const CarElt& car);

/// The place of its driver's eyes.
[[nodiscard]] Camera driver_of(const CarElt& car);

}  // namespace tandem::torcs
