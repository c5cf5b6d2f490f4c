// The words between the environment and the process of its race, which a pair of sockets carries:
// at first the race's Greeting, then one Request and one Report in turns. Both sides are built on
// the same machine. SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstdint>

namespace tandem::torcs {

/// The tasks of a race's process.
enum class Order : std::int32_t {
  start,  // the race of Request::race, the only one of a process
  drive,  // as Request::driving says
  draw    // the view once more, in the size of Request::picture
};

/// A size in pixels.
struct PictureSize {
  std::int32_t width = 0;
  std::int32_t height = 0;
};

/// A race. Names end with a zero.
struct RaceOrder {
  char folder[1024] = {};      // where tools/build_torcs.sh put TORCS
  char track[64] = {};         // "g-track-1"
  char category[16] = {};      // of the track: "road", "oval" or "dirt"
  char car[64] = {};           // of the agent and of its opponents: "p406"
  std::int32_t opponents = 0;  // 0 to 9: TORCS's robots are ten
  std::int32_t robot = 0;      // whether TORCS's own robot "bt" drives in the agent's place
  double place = 0;  // of the start, as a part of the way round, 0 to 1; below 0: the track's
};

/// An action, held for some of the robot's turns of 20 milliseconds.
struct DrivingOrder {
  float steering = 0;  // 1: as far to the left as the speed allows; -1: to the right
  float throttle = 0;  // 0 to 1
  float brake = 0;     // 0 to 1
  std::int32_t turns = 1;
};

struct Request {
  Order order = Order::start;
  std::int32_t unused = 0;
  PictureSize picture = {};  // none is drawn if it is empty
  RaceOrder race = {};
  DrivingOrder driving = {};
};

/// The outcome. `bytes` of a picture follow, or of words if the race has failed.
struct Report {
  std::int32_t failed = 0;
  std::int32_t out = 0;  // whether TORCS has taken the car out of the race
  double metres = 0;     // the speed along the track's axis times the time; negative: back
  double speed = 0;      // metres a second, along the car's axis
  std::int32_t bytes = 0;
  std::int32_t unused = 0;
};

/// Tells the trainer that both sides have the same words.
struct Greeting {
  std::uint32_t version = 1;
  std::uint16_t request_bytes = sizeof(Request);
  std::uint16_t report_bytes = sizeof(Report);
  friend bool operator==(const Greeting&, const Greeting&) = default;
};

/// The seconds between two turns of a robot, of TORCS's race engine.
constexpr double kTurnSeconds = 0.02;

}  // namespace tandem::torcs
