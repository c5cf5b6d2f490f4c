// The functions of TORCS's screens, menus, sounds and files of results. Its race engine names them,
// and a race without a screen does not call them or needs nothing of them.
// TORCS's headers need the first of them before them.
// clang-format off
// SPDX-License-Identifier: GPL-2.0-or-later
#include <tgfclient.h>
#include <exitmenu.h>
#include <musicplayer/musicplayer.h>
#include <raceman.h>
#include <racescreens.h>
// clang-format on

#include "racegl.h"
#include "racemanmenu.h"
#include "raceresults.h"
#include "racestate.h"

// OpenGL's.
void glPixelStorei(unsigned, int) {}
void glReadBuffer(unsigned) {}
void glReadPixels(int, int, int, int, unsigned, unsigned, void*) {}
void glutPostRedisplay() {}

// The windows'.
int GfImgWritePng(unsigned char*, const char*, int, int) { return -1; }
void GfScrGetSize(int* width, int* height, int* view_width, int* view_height) {
  *width = *height = *view_width = *view_height = 0;
}
void GfuiDisplay() {}
void GfuiScreenActivate(void*) {}
void* GfuiHookCreate(void*, tfuiCallback) { return nullptr; }
int GfuiMenuButtonCreate(void*, const char*, const char*, void*, tfuiCallback) { return -1; }
void startMenuMusic() {}
void stopMenuMusic() {}

// The menus'.
void* TorcsExitMenuInit(void*) { return nullptr; }
void RmPitMenuStart(tCarElt*, tRmInfo*, void*, tfuiCallback) {}
void* RmCarSetupScreenInit(void*, tCarElt*, tRmInfo*) { return nullptr; }
void RmLoadingScreenStart(const char*, const char*) {}
void RmLoadingScreenSetText(const char*) {}
void RmShutdownLoadingScreen() {}
void* RmTriStateScreen(const char*, const char*, const char*, void*, const char*, const char*,
                       void*, const char*, const char*, void*) {
  return nullptr;
}
void* RmFourStateScreen(const char*, const char*, const char*, void*, const char*, const char*,
                        void*, const char*, const char*, void*, const char*, const char*, void*) {
  return nullptr;
}
void* RmNStateScreen(const char*, const char**, const char**, void**, const int) { return nullptr; }
void RmDisplayStartRace(tRmInfo*, void*, void*) {}
int ReNewTrackMenu() { return RM_ASYNC | RM_NEXT_STEP; }

// The race's screen's.
void* ReScreenInit() { return nullptr; }
void* ReHookInit() { return nullptr; }
void ReSetRaceMsg(const char*) {}
void ReSetRaceBigMsg(const char*) {}
void* ReResScreenInit() { return nullptr; }
void ReResScreenSetTitle(char*) {}
void ReResScreenAddText(char*) {}

// Results, which TORCS keeps in files.
void ReInitResults() {}
void ReStoreRaceResults(const char*) {}
int ReDisplayResults() { return 0; }
void ReDisplayStandings() {}
void ReSavePracticeLap(tCarElt*) {}
void ReUpdateQualifCurRes(tCarElt*) {}
void ReEventInitResults() {}
void ReUpdateStandings() {}

// The states of the program, of which Race takes those that it needs.
void ReStateManage() {}
void ReStateApply(void*) {}
