#include "tandem/env/family.h"

#include <fmt/format.h>

#include "tandem/base/error.h"
#include "tandem/env/builtin.h"
#include "tandem/env/plugin.h"

namespace tandem {
namespace {

void refuse_paths(const std::string& id, const std::string& plugin) {
  const bool is_word =
      !plugin.empty() &&
      plugin.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string::npos;
  if (is_word) return;
  throw Error(fmt::format(
      "'{}' is no environment id: it is a name ('cartpole') or plug-in:name ('atari:Pong')", id));
}

}  // namespace

std::unique_ptr<EnvFamily> find_family(const std::string& id) {
  const auto colon = id.find(':');
  if (colon == std::string::npos) return make_builtin_family();
  const auto plugin = id.substr(0, colon);
  refuse_paths(id, plugin);
  return load_plugin(plugin).create();
}

std::string env_name(const std::string& id) {
  const auto colon = id.find(':');
  return colon == std::string::npos ? id : id.substr(colon + 1);
}

}  // namespace tandem
