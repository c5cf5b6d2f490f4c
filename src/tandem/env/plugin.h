// Finds and loads plug-ins: shared objects that provide a family of environments.
#pragma once

#include <string>
#include <vector>

#include "tandem/env/family.h"

namespace tandem {

/// Loads tandem_<name>.so from the first of the plug-in folders that has it. A plug-in stays loaded
/// until the process ends, because its environments may live that long. Throws Error, and says what
/// to do, when no folder has it, when it cannot be loaded, or when it was built for other headers.
/// Thread-safe.
const PluginInfo& load_plugin(const std::string& name);

/// The names of the plug-ins in the plug-in folders ("atari"), in alphabetical order; it loads none
/// of them. Thread-safe as long as nobody changes the process's environment variables.
std::vector<std::string> plugin_names();

}  // namespace tandem
