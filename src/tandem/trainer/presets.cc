#include "tandem/trainer/presets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "tandem/base/error.h"
#include "tandem/base/nearest.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> config_folders() {
  const auto program_folder = fs::read_symlink("/proc/self/exe").parent_path();
  std::vector<fs::path> folders;
  for (const auto* place : {"configs", "../configs", "../share/tandem/configs"}) {
    std::error_code missing;
    const auto folder = fs::canonical(program_folder / place, missing);
    if (!missing) folders.push_back(folder);
  }
  return folders;
}

}  // namespace

std::vector<std::string> preset_names() {
  std::set<std::string> names;
  for (const auto& folder : config_folders()) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".toml") continue;
      names.insert(fs::relative(entry.path(), folder).replace_extension().generic_string());
    }
  }
  return {names.begin(), names.end()};
}

fs::path find_config(const std::string& name) {
  if (fs::exists(name)) return name;
  for (const auto& folder : config_folders()) {
    for (const auto& file : {folder / name, folder / (name + ".toml")}) {
      if (fs::is_regular_file(file)) return file;
    }
  }
  const auto known = preset_names();
  const auto near = nearest(name, known);
  throw Error(fmt::format("there is no config file and no preset {};{} the presets are {}", name,
                          near.empty() ? "" : " did you mean " + near + "?",
                          fmt::join(known, ", ")));
}

}  // namespace tandem
