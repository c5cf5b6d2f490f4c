#include "tandem/base/places.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <sstream>

namespace tandem {
namespace {

namespace fs = std::filesystem;

/// The file that holds this code. The dynamic loader knows the paths of shared libraries; for the
/// program itself it has an empty name, so /proc/self/exe gives the path.
fs::path own_file() {
  Dl_info info{};
  link_map* map = nullptr;
  const auto address = reinterpret_cast<const void*>(&own_file);
  const bool found =
      dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0 &&
      map != nullptr;
  if (found && *map->l_name != '\0') return fs::canonical(map->l_name);
  return fs::read_symlink("/proc/self/exe");
}

}  // namespace

fs::path own_folder() {
  // The path is resolved only once: a relative name would mean another file after the process
  // changes its working directory.
  static const fs::path folder = own_file().parent_path();
  return folder;
}

std::vector<fs::path> places_of(const std::string& kind, const char* variable) {
  if (!is_set(variable)) {
    const auto own = own_folder();
    return {own / kind, (own / "../lib/tandem" / kind).lexically_normal(), own / "tandem" / kind};
  }
  std::vector<fs::path> folders;
  std::istringstream rest(std::getenv(variable));
  for (std::string folder; std::getline(rest, folder, ':');) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  return folders;
}

fs::path data_folder(const std::string& named, const char* variable, const char* name,
                     const char* built_with) {
  if (!named.empty()) return named;
  if (is_set(variable)) return std::getenv(variable);
  const auto installed = (own_folder() / "../../../share/tandem" / name).lexically_normal();
  return fs::exists(installed) ? installed : built_with;
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

fs::path setup_python() {
  for (const auto& folder : {own_folder() / "..", fs::current_path()}) {
    auto file = (folder / ".venv/bin/python").lexically_normal();
    if (fs::exists(file)) return file;
  }
  return {};
}

bool in_wheel() { return fs::exists(own_folder() / "include/tandem/env/family.h"); }

std::string joined(std::span<const fs::path> folders) {
  std::string list;
  for (const auto& folder : folders) {
    if (!list.empty()) list += ':';
    list += folder.string();
  }
  return list;
}

}  // namespace tandem
