#include "tandem/env/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "tandem/base/error.h"
#include "tandem/base/nearest.h"
#include "tandem/base/places.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr char kPrefix[] = "tandem_";
constexpr char kSuffix[] = ".so";

std::vector<fs::path> plugin_folders() { return places_of("plugins", "TANDEM_PLUGIN_PATH"); }

std::string remedy(const std::string& name) {
  const bool ours = name == "atari" || name == "mujoco";
  return ours ? "`make` builds it."
              : fmt::format("Build its target {}{}, or name its folder in $TANDEM_PLUGIN_PATH.",
                            kPrefix, name);
}

fs::path find_plugin(const std::string& name) {
  const auto folders = plugin_folders();
  for (const auto& folder : folders) {
    auto file = folder / (kPrefix + name + kSuffix);
    if (fs::exists(file)) return file;
  }
  const auto known = plugin_names();
  const auto near = nearest(name, known);
  throw Error(fmt::format("there is no environment plug-in '{}': no {}{}{} in {}. {}", name,
                          kPrefix, name, kSuffix, joined(folders),
                          near.empty() ? remedy(name) : fmt::format("Did you mean '{}'?", near)));
}

}  // namespace

const PluginInfo& load_plugin(const std::string& name) {
  const auto file = find_plugin(name);
  // The handle is never closed, so the code of living environments stays mapped.
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw Error(
        fmt::format("the plug-in {} cannot be loaded: {}. Build it anew with this version of "
                    "tandem, or install the library it misses.",
                    file.string(), dlerror()));
  }
  using Entry = const PluginInfo* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(handle, "tandem_plugin"));
  if (entry == nullptr) {
    throw Error(
        fmt::format("{} is no plug-in of tandem: it exports no function tandem_plugin. Remove it, "
                    "or build it as docs/add_an_environment.md says.",
                    file.string()));
  }
  const PluginInfo* info = entry();
  if (info->abi != kPluginAbi) {
    throw Error(fmt::format(
        "the plug-in {} was built for interface {} of tandem, this program has {}. Build "
        "it anew.",
        file.string(), info->abi, kPluginAbi));
  }
  return *info;
}

std::vector<std::string> plugin_names() {
  std::set<std::string> names;
  for (const auto& folder : plugin_folders()) {
    std::error_code unreadable;  // ignored: a missing folder has no plug-ins
    for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
      const auto file = entry.path().filename().string();
      if (file.starts_with(kPrefix) && file.ends_with(kSuffix)) {
        names.insert(
            file.substr(sizeof(kPrefix) - 1, file.size() - sizeof(kPrefix) - sizeof(kSuffix) + 2));
      }
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace tandem
