// A plug-in that makes no family, for plugin_test.cc.
#include "tandem/env/family.h"

extern "C" const tandem::PluginInfo* tandem_plugin() {
  static constexpr tandem::PluginInfo kInfo = {
      .abi = tandem::kPluginAbi, .name = "childless", .licence = "Apache-2.0", .create = nullptr};
  return &kInfo;
}
