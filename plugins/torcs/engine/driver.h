// From an agent's action to a car's pedals, wheel and gears.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "../protocol.h"

struct CarElt;

namespace tandem::torcs {

/// Sets the controls of a car for one turn of a robot. The wheel turns as far as tyres can follow
/// at the car's speed, gears change by themselves, and brakes and throttle give way before wheels
/// lock or spin, as in TORCS's own robots and in its aids for human drivers.
void drive(CarElt& car, const DrivingOrder& order);

}  // namespace tandem::torcs
