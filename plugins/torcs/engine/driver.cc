// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver.h"

#include <car.h>
#include <tgf.h>

#include <algorithm>
#include <cmath>

namespace tandem::torcs {
namespace {

constexpr float kGrip = 1.15F;       // of the tyres' grip: the wheels may turn a little further
constexpr float kLeastLoad = 5;      // m/s^2: a car that jumps can be steered, too
constexpr float kSpin = 2;           // m/s by which driven wheels may be faster than the car
constexpr float kLock = 3;           // m/s by which braked wheels may be slower
constexpr float kShiftUp = 0.93F;    // of the engine's red line
constexpr float kShiftDown = 0.70F;  // of the red line, in the gear below

/// The most that the tyres can push the car sidewards, in m/s^2: what presses on them, wings
/// included, counts.
float grip_of(const tCarElt& car) {
  const float friction = GfParmGetNum(car._carHandle, SECT_FRNTRGTWHEEL, PRM_MU, nullptr, 1);
  const float mass = GfParmGetNum(car._carHandle, SECT_CAR, PRM_MASS, nullptr, 1000);
  float load = 0;
  for (int wheel = 0; wheel < 4; ++wheel) load += car._reaction[wheel];
  return friction * std::max(load / mass, kLeastLoad);
}

/// The angle of the front wheels for the narrowest curve that the tyres hold at this speed.
float wheel_angle(const tCarElt& car) {
  const float wheelbase = car.priv.wheel[FRNT_RGT].relPos.x - car.priv.wheel[REAR_RGT].relPos.x;
  const float speed = std::max(1.0F, std::abs(car._speed_x));
  return std::atan(wheelbase * kGrip * grip_of(car) / (speed * speed));
}

int choose_gear(const tCarElt& car) {
  if (car._gear <= 0) return 1;
  // The engine's speed in a gear, as a part of the red line.
  const auto revs = [&car](int gear) {
    return car._gearRatio[gear + car._gearOffset] * car._speed_x / car._wheelRadius(REAR_RGT) /
           car._enginerpmRedLine;
  };
  const int highest = car._gearNb - 1;  // of the forward gears, though car.h counts two more
  if (car._gear < highest && revs(car._gear) > kShiftUp) return car._gear + 1;
  if (car._gear > 1 && revs(car._gear - 1) < kShiftDown) return car._gear - 1;
  return car._gear;
}

/// How much faster the wheels turn than the car drives, in metres a second: the most of all, or the
/// least.
struct Slip {
  float most = 0;
  float least = 0;
};

Slip slip_of(const tCarElt& car) {
  Slip slip;
  for (int wheel = 0; wheel < 4; ++wheel) {
    const float faster = car._wheelSpinVel(wheel) * car._wheelRadius(wheel) - car._speed_x;
    slip.most = std::max(slip.most, faster);
    slip.least = std::min(slip.least, faster);
  }
  return slip;
}

}  // namespace

void drive(CarElt& car, const DrivingOrder& order) {
  const float angle = std::min(car._steerLock, wheel_angle(car));
  const auto slip = slip_of(car);
  car._steerCmd = order.steering * angle / car._steerLock;
  car._gearCmd = choose_gear(car);
  car._accelCmd = order.throttle * std::clamp(2 - slip.most / kSpin, 0.0F, 1.0F);
  car._brakeCmd = order.brake * std::clamp(2 + slip.least / kLock, 0.0F, 1.0F);
  car._clutchCmd = 0;
}

}  // namespace tandem::torcs
