// Finds and loads plug-ins: shared objects that provide a family of environments.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tandem/env/family.h"

namespace tandem {

/// Loads tandem_<name>.so from the first of the plug-in folders that has it. A plug-in stays loaded
/// until the process ends, because its environments may live that long. Throws Error, and says what
/// to do, when no folder has it, when it cannot be loaded, or when it was built for other headers.
/// Thread-safe.
const PluginInfo& load_plugin(const std::string& name);

/// Makes the family of a plug-in, with its default options. Throws Error when the plug-in makes
/// none. Thread-safe if the plug-in is.
std::unique_ptr<EnvFamily> make_family(const PluginInfo& plugin);

/// The folders that are searched for plug-ins: those of places_of("plugins"), or, for a wheel of
/// the Python package, the package's own and one of the user for this version of the interface.
/// Thread-safe as long as nobody changes the process's environment variables.
std::vector<std::filesystem::path> plugin_folders();

/// The names of the plug-ins in the plug-in folders ("atari"), in alphabetical order; it loads none
/// of them. Thread-safe as long as nobody changes the process's environment variables.
std::vector<std::string> plugin_names();

}  // namespace tandem
