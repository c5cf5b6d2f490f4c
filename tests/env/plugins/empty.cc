// A plug-in without a description, for plugin_test.cc.
#include "tandem/env/family.h"

extern "C" const tandem::PluginInfo* tandem_plugin() { return nullptr; }
