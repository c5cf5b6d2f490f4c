#include "tandem/env/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/base/nearest.h"
#include "tandem/base/places.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr char kPrefix[] = "tandem_";
constexpr char kSuffix[] = ".so";

constexpr char kVariable[] = "TANDEM_PLUGIN_PATH";

/// The folder for a user who may not write into the Python package; empty without a home.
fs::path user_folder() {
  const auto version = fmt::format("plugins-{}", kPluginAbi);
  if (is_set("XDG_DATA_HOME")) return fs::path(std::getenv("XDG_DATA_HOME")) / "tandem" / version;
  if (is_set("HOME")) return fs::path(std::getenv("HOME")) / ".local/share/tandem" / version;
  return {};
}

/// The command that builds one of tandem's own plug-ins, or the advice for another one.
std::string remedy(const std::string& name) {
  constexpr std::array<std::string_view, 2> kOfMake = {"atari", "mujoco"};
  constexpr std::array<std::string_view, 3> kOnRequest = {"football", "doom", "torcs"};
  const bool of_make = std::ranges::find(kOfMake, name) != kOfMake.end();
  const bool on_request = std::ranges::find(kOnRequest, name) != kOnRequest.end();
  if (!of_make && !on_request) {
    return fmt::format("Build its target {}{}, or name its folder in ${}.", kPrefix, name,
                       kVariable);
  }
  if (fs::exists(own_folder().parent_path() / "share/tandem")) {
    return "Build it in the clone that this program was installed from, and install again.";
  }
  const bool installs = in_wheel() || on_request;
  return installs ? fmt::format("`tandem install {}` builds it.", name) : "`make` builds it.";
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

std::vector<fs::path> plugin_folders() {
  if (!in_wheel() || is_set(kVariable)) return places_of("plugins", kVariable);
  std::vector<fs::path> folders = {own_folder() / "plugins"};
  if (auto folder = user_folder(); !folder.empty()) folders.push_back(std::move(folder));
  return folders;
}

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
  if (info == nullptr) {
    throw Error(fmt::format("the plug-in {} has no description: its tandem_plugin() returns null",
                            file.string()));
  }
  if (info->abi != kPluginAbi) {
    throw Error(fmt::format(
        "the plug-in {} was built for interface {} of tandem, this program has {}. Build "
        "it anew. {}",
        file.string(), info->abi, kPluginAbi, remedy(name)));
  }
  return *info;
}

std::unique_ptr<EnvFamily> make_family(const PluginInfo& plugin) {
  auto family = plugin.create == nullptr ? nullptr : plugin.create();
  if (family != nullptr) return family;
  throw Error(
      fmt::format("the plug-in {} made no family of environments: its PluginInfo::create must "
                  "return one",
                  plugin.name));
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
