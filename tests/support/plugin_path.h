// Lets the tests find the plug-in that was built beside them.
#pragma once

#include <cstdlib>

namespace tandem {

inline const int kPluginPath = setenv("TANDEM_PLUGIN_PATH", TANDEM_BINARY_DIR "/plugins", 0);

}  // namespace tandem
