// Lets the tests find the plug-ins that were built beside them.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace tandem {

inline const int kPluginPath = setenv("TANDEM_PLUGIN_PATH", TANDEM_BINARY_DIR "/plugins", 0);

// Whether this build has the plug-in. Builds with ThreadSanitizer have none.
inline bool has_plugin(const std::string& name) {
  return std::filesystem::exists(TANDEM_BINARY_DIR "/plugins/tandem_" + name + ".so");
}

}  // namespace tandem
