#include "tandem/env/family.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

#include "tandem/base/error.h"
#include "tandem/env/builtin.h"
#include "tandem/env/gym/gym_family.h"
#include "tandem/env/plugin.h"

namespace tandem {
namespace {

const std::string kGymnasium = "gym";

void refuse_paths(const std::string& id, const std::string& plugin) {
  const bool is_word =
      !plugin.empty() &&
      plugin.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string::npos;
  if (is_word) return;
  throw Error(fmt::format(
      "'{}' is no environment id: it is a name ('cartpole') or plug-in:name ('atari:Pong')", id));
}

/// Throws Error if an id without a colon is the name of a plug-in.
void refuse_plugin_alone(const std::string& id) {
  const auto plugins = plugin_names();
  if (std::ranges::find(plugins, id) == plugins.end()) return;
  auto ids = make_family(load_plugin(id))->names();
  for (auto& name : ids) name.insert(0, id + ":");
  constexpr std::size_t kShown = 6;
  const auto shown = std::min(kShown, ids.size());
  throw Error(
      fmt::format("'{}' is a plug-in; name an environment of it: {}{}", id,
                  fmt::join(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                  shown < ids.size() ? " (`tandem envs` lists all)" : ""));
}

}  // namespace

std::unique_ptr<EnvFamily> find_family(const std::string& id) {
  const auto colon = id.find(':');
  if (colon == std::string::npos) {
    auto family = make_builtin_family();
    const auto names = family->names();
    if (std::ranges::find(names, id) == names.end()) refuse_plugin_alone(id);
    return family;
  }
  const auto plugin = id.substr(0, colon);
  if (plugin == kGymnasium) return make_gym_family();
  refuse_paths(id, plugin);
  return make_family(load_plugin(plugin));
}

std::string env_family_name(const std::string& id) {
  const auto colon = id.find(':');
  return colon == std::string::npos ? "" : id.substr(0, colon);
}

std::string env_name(const std::string& id) {
  const auto colon = id.find(':');
  return colon == std::string::npos ? id : id.substr(colon + 1);
}

}  // namespace tandem
