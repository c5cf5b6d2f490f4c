// The module "tandem", TORCS's robot that drives as an agent says: TORCS loads it by its name and
// calls tandem_drive(), which is the race's process's.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <raceman.h>
#include <robot.h>
#include <tgf.h>

#include <cstring>

extern "C" void tandem_drive(tCarElt* car);

namespace {

void new_track(int, tTrack*, void*, void** settings, tSituation*) { *settings = nullptr; }
void new_race(int, tCarElt*, tSituation*) {}
void drive(int, tCarElt* car, tSituation*) { tandem_drive(car); }
int pit(int, tCarElt*, tSituation*) { return ROB_PIT_IM; }
void end_race(int, tCarElt*, tSituation*) {}
void shut_down(int) {}

int make_robot(int index, void* robot) {
  auto* made = static_cast<tRobotItf*>(robot);
  made->rbNewTrack = new_track;
  made->rbNewRace = new_race;
  made->rbDrive = drive;
  made->rbPitCmd = pit;
  made->rbEndRace = end_race;
  made->rbShutdown = shut_down;
  made->index = index;
  return 0;
}

}  // namespace

extern "C" int tandem(tModInfo* modules) {
  std::memset(modules, 0, 10 * sizeof(tModInfo));
  modules[0].name = strdup("tandem");
  modules[0].desc = strdup("driven by an agent");
  modules[0].fctInit = make_robot;
  modules[0].gfId = ROB_IDENT;
  modules[0].index = 0;
  return 0;
}
