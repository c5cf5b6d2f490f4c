#include <fmt/format.h>

#include <exception>

#include "tandem/app/commands.h"
#include "tandem/app/help.h"
#include "tandem/env/builtin.h"
#include "tandem/env/plugin.h"
#include "tandem/io/text_table.h"

namespace tandem {
namespace {

void print_family(const std::string& title, EnvFamily& family, const std::string& prefix) {
  auto ids = family.names();
  for (auto& id : ids) id = prefix + id;
  fmt::print("{} ({}):\n{}", title, ids.size(), format_names(ids, terminal_width()));
}

void list_envs() {
  print_family("built in", *make_builtin_family(), "");
  const auto plugins = plugin_names();
  for (const auto& name : plugins) {
    fmt::print("\n");
    try {
      const auto& plugin = load_plugin(name);
      print_family(fmt::format("plug-in {}, {}", name, plugin.licence), *make_family(plugin),
                   name + ":");
    } catch (const std::exception& error) {  // of the plug-in; the others can be used
      fmt::print("plug-in {} cannot be used: {}\n", name, error.what());
    }
  }
  fmt::print(
      "\nenvironments of Gymnasium, by their id or with the module that registers it:\n"
      "gym:CartPole-v1  gym:package.module:ID\n");
  if (plugins.empty())
    fmt::print("\nNo plug-ins found. `make` builds those of Atari and MuJoCo.\n");
}

}  // namespace

void add_envs(CLI::App& program) {
  auto* command =
      program.add_subcommand("envs", "List the environments: built in, and of the plug-ins found");
  end_help(*command, {"tandem envs"});
  command->callback(list_envs);
}

}  // namespace tandem
