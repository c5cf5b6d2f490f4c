// SPDX-License-Identifier: GPL-2.0-or-later
#include "race.h"

#include <raceman.h>
#include <robot.h>
#include <robottools.h>
#include <tgf.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>

#include "driver.h"
#include "raceengine.h"
#include "raceinit.h"
#include "racemain.h"

void* GfParmReadBuf(char* text);  // of TORCS, whose headers do not have it

namespace tandem::torcs {
namespace {

constexpr int kStepsPerTurn = 10;  // of TORCS's simulation, RCM_MAX_DT_SIMU each
constexpr double kRow = 20;        // metres between the rows of the grid, of two cars each
constexpr float kSight = 350;      // metres
constexpr Colour kGround = {75, 120, 60};
constexpr double kClockError = 1e-9;  // seconds, more than the sum of the steps is off
// A car that is not on the track any more; one that stands in its pit is.
constexpr int kRemoved = RM_CAR_STATE_NO_SIMU & ~RM_CAR_STATE_PIT;
constexpr float kGaugeSpeed = 100;  // metres a second, of a full speed gauge

DrivingOrder held;  // TORCS calls back without a pointer of ours

constexpr const char* kModules = R"(<?xml version="1.0"?>
<params name="modules" type="param"><section name="Modules">
<attstr name="track" val="track"/><attstr name="simu" val="simuv2"/>
</section></params>)";

/// A file of TORCS's parameters: the race that tRaceman's files describe elsewhere. The agent's car
/// is the last of the grid. Fuel lasts for ever, and laps do not end the race.
std::string race_file(const RaceOrder& order) {
  std::ostringstream file;
  file << R"(<?xml version="1.0"?><params name="tandem" type="param"><section name="Header">)"
       << R"(<attstr name="name" val="tandem"/></section><section name="Tracks"><section name="1">)"
       << R"(<attstr name="name" val=")" << order.track << R"("/><attstr name="category" val=")"
       << order.category << R"("/></section></section><section name="Races"><section name="1">)"
       << R"(<attstr name="name" val="race"/></section></section><section name="race">)"
       << R"(<attstr name="type" val="race"/><attnum name="laps" val="10000"/>)"
       << R"(<attstr name="starting order" val="drivers list"/>)"
       << R"(<attnum name="fuel consumption factor" val="0"/><section name="Starting Grid">)"
       << R"(<attnum name="rows" val="2"/><attnum name="distance between columns" val=")" << kRow
       << R"("/>)"
       << R"(<attnum name="offset within a column" val=")" << kRow / 2 << R"("/>)"
       << R"(<attnum name="initial height" val="0.2"/>)";
  file << R"(</section></section><section name="Drivers">)";
  for (int at = 1; at <= order.opponents + 1; ++at) {
    const bool agent = at == order.opponents + 1 && order.robot == 0;
    file << R"(<section name=")" << at << R"("><attstr name="module" val=")"
         << (agent ? "tandem" : "bt") << R"("/><attnum name="idx" val=")"
         << (at == order.opponents + 1 ? 0 : at) << R"("/></section>)";
  }
  file << "</section></params>";
  return file.str();
}

void* read_text(const std::string& text) {
  auto copy = text;  // GfParmReadBuf takes characters that are not constant
  return GfParmReadBuf(copy.data());
}

/// Gives all robots of a module the same car. TORCS reads the file once, so what is changed here is
/// what it finds later.
void give_cars(const std::string& module, const char* car) {
  const auto name = "drivers/" + module + "/" + module + ".xml";
  auto* robots = GfParmReadFile(name.c_str(), GFPARM_RMODE_STD);
  if (robots == nullptr) throw std::runtime_error(name + " is missing in TORCS's folder");
  for (int index = 0; index < 10; ++index) {
    const auto path = std::string(ROB_SECT_ROBOTS "/" ROB_LIST_INDEX "/") + std::to_string(index);
    GfParmSetStr(robots, path.c_str(), ROB_ATTR_CAR, car);
  }
}

/// Loads TORCS's module that builds tracks.
void load_track_module() {
  static tModList* modules = nullptr;
  const auto file = std::string(GetLibDir()) + "modules/track/track.so";
  if (GfModLoad(0, const_cast<char*>(file.c_str()), &modules) != 0) {
    throw std::runtime_error(file + " cannot be loaded");
  }
  modules->modInfo->fctInit(modules->modInfo->index, &ReInfo->_reTrackItf);
}

void make_race_engine() {
  ReInfo = static_cast<tRmInfo*>(calloc(1, sizeof(tRmInfo)));
  ReInfo->s = static_cast<tSituation*>(calloc(1, sizeof(tSituation)));
  ReInfo->modList = &ReRaceModList;
  ReInfo->_reParam = read_text(kModules);
  ReInfo->_displayMode = RM_DISP_MODE_CONSOLE;
  ReInfo->_reName = "tandem";
  ReInfo->results =
      read_text(R"(<?xml version="1.0"?><params name="results" type="param"></params>)");
  load_track_module();
}

/// Metres a second along the track's axis at the car's place.
double speed_along(const tCarElt& car) {
  auto place = car._trkPos;
  const auto axis = RtTrackSideTgAngleL(&place);
  return car._speed_X * std::cos(axis) + car._speed_Y * std::sin(axis);
}

/// A step of the simulation; ReUpdate() makes as many as fit into two of these "real" seconds.
void step() {
  ReInfo->_reTimeMult = 3 / RCM_MAX_DT_SIMU;
  ReUpdate();
}

/// A turn of the robots. TORCS calls them when 20 ms have passed by its clock, a sum of rounded
/// numbers, which is after ten steps or eleven. Here it calls them before the first of ten, so that
/// an action acts at once and for the whole turn.
void take_turn() {
  ReInfo->_reLastTime = ReInfo->s->currentTime + RCM_MAX_DT_SIMU - RCM_MAX_DT_ROBOTS - kClockError;
  for (int at = 0; at < kStepsPerTurn; ++at) step();
}

/// A bar at the picture's lower edge, as long as the car is fast: a single picture shows no speed.
void add_gauge(std::vector<std::uint8_t>& picture, const PictureSize& size, float speed) {
  const auto row_bytes = 3 * static_cast<std::size_t>(size.width);
  const auto rows = std::max<std::size_t>(1, static_cast<std::size_t>(size.height) / 28);
  const auto part = std::clamp(speed / kGaugeSpeed, 0.0F, 1.0F);
  const auto filled = static_cast<std::size_t>(part * static_cast<float>(size.width));
  for (auto row = static_cast<std::size_t>(size.height) - rows;
       row < static_cast<std::size_t>(size.height); ++row) {
    auto* at = &picture[row * row_bytes];
    std::fill_n(at, row_bytes, std::uint8_t{20});
    for (std::size_t column = 0; column < filled; ++column) {
      at[3 * column] = 250;
      at[3 * column + 1] = 210;
    }
  }
}

}  // namespace

Race::Race(const RaceOrder& order) {
  const std::string folder = order.folder;
  auto modules = folder + "/lib/";
  auto data = folder + "/share/";
  SetLibDir(modules.data());
  SetDataDir(data.data());
  auto none = folder + "/none/";  // a user's own files, of which there are none
  SetLocalDir(none.data());
  // TORCS opens its data by names that begin here.
  if (chdir(data.c_str()) != 0) throw std::runtime_error(data + " is not there");
  make_race_engine();
  give_cars("bt", order.car);
  give_cars("tandem", order.car);
  ReInfo->params = read_text(race_file(order));
  const auto track =
      std::string("tracks/") + order.category + "/" + order.track + "/" + order.track + ".xml";
  if (!std::filesystem::exists(track)) throw std::runtime_error(data + track + " is missing");
  ReRaceEventInit();
  if (order.place >= 0) {
    // The whole grid has to be on one round: TORCS looks for a place before the start for ever.
    const double round = ReInfo->track->length - kRow * (order.opponents + 2) / 2;
    const double place = std::max(1e-3, order.place * round);
    GfParmSetNum(ReInfo->params, "race/Starting Grid", RM_ATTR_TOSTART, nullptr,
                 static_cast<tdble>(place));
    GfParmSetNum(ReInfo->track->params, RM_SECT_STARTINGGRID, RM_ATTR_TOSTART, nullptr,
                 static_cast<tdble>(place));
  }
  RePreRace();
  ReRaceStart();
  if (ReInfo->s->_ncars != order.opponents + 1) {
    throw std::runtime_error("TORCS cannot put all cars on the track");
  }
  car_ = &ReInfo->carList[order.opponents];
  slices_ = make_slices(ReInfo->track);
  // TORCS counts down two seconds, in which no car moves.
  while (ReInfo->s->_raceState != RM_RACE_RUNNING) step();
}

Report Race::drive(const DrivingOrder& order) {
  held = order;
  Report report;
  constexpr int kOut = kRemoved | RM_CAR_STATE_FINISH | RM_CAR_STATE_BROKEN |
                       RM_CAR_STATE_OUTOFGAS | RM_CAR_STATE_ELIMINATED;
  for (int turn = 0; turn < order.turns && report.out == 0; ++turn) {
    take_turn();
    report.metres += speed_along(*car_) * kTurnSeconds;
    report.out = (car_->_state & kOut) != 0 ? 1 : 0;
  }
  if (!std::isfinite(report.metres) ||
      !std::isfinite(car_->_pos_X + car_->_pos_Z + car_->_speed_x)) {
    throw std::runtime_error("TORCS has lost the car's place");
  }
  report.speed = car_->_speed_x;
  return report;
}

std::vector<std::uint8_t> Race::draw(const PictureSize& size) {
  if (view_ == nullptr || size.width != size_.width || size.height != size_.height) {
    view_ = std::make_unique<View>(size.width, size.height);
    size_ = size;
  }
  const auto camera = driver_of(*car_);
  view_->begin(camera, kGround);
  for (const auto& slice : slices_) {
    const Point way = {slice.middle.x - camera.eye.x, slice.middle.y - camera.eye.y,
                       slice.middle.z - camera.eye.z};
    const float ahead = way.x * camera.ahead.x + way.y * camera.ahead.y + way.z * camera.ahead.z;
    if (ahead < -40 || ahead > kSight) continue;
    for (const auto& face : slice.faces) view_->draw(face);
  }
  for (int at = 0; at < ReInfo->s->_ncars; ++at) {
    const auto& other = ReInfo->carList[at];
    if (&other == car_ || (other._state & kRemoved) != 0) continue;
    for (const auto& face : make_car(other)) view_->draw(face);
  }
  auto picture = view_->picture();
  add_gauge(picture, size, car_->_speed_x);
  return picture;
}

}  // namespace tandem::torcs

extern "C" void tandem_drive(tCarElt* car) { tandem::torcs::drive(*car, tandem::torcs::held); }
