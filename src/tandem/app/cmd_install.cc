// `tandem install`: builds a plug-in on this machine, by the Python package's installer or in a
// clone.
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tandem/app/commands.h"
#include "tandem/app/help.h"
#include "tandem/app/python_program.h"
#include "tandem/base/error.h"
#include "tandem/base/places.h"
#include "tandem/env/gym/gym_options.h"
#include "tandem/env/plugin.h"

namespace tandem {
namespace {

constexpr const char* kInstallFooter = R"(
The plug-ins need libraries that the package does not hold: the Arcade Learning
Environment (GPL-2.0-only, built from its source), MuJoCo, the engine of Google
Research Football and TORCS (GPL-2+; both built from their sources), and
ViZDoom's engine. All need a C++ compiler and the network, and take 1 to 3
minutes each. In a clone `make` builds the first two, and this command the
others.)";

const std::vector<std::string> kPlugins = {"atari", "mujoco", "football", "doom", "torcs"};

struct InstallOptions {
  std::string plugin;
  std::vector<std::string> find_links;
  bool force = false;
};

/// Becomes the script that builds a plug-in in the clone of this program's build folder.
[[noreturn]] void install_in_clone(const InstallOptions& options) {
  const auto script = own_folder().parent_path() / "tools/install_plugin.sh";
  if (!std::filesystem::exists(script)) {
    throw Error(
        "`tandem install` is for the Python package that pip installed, and for a program in the "
        "build folder of a clone; build the plug-in there");
  }
  if (!options.find_links.empty()) {
    throw Error(
        "--find-links is for the Python package; in a clone pip's own settings say where "
        "packages are, such as PIP_FIND_LINKS");
  }
  std::vector<std::string> words = {"bash", script, options.plugin, own_folder()};
  if (options.force) words.emplace_back("--force");
  become_python(std::move(words));
}

/// Becomes the installer.
[[noreturn]] void install(const InstallOptions& options) {
  if (!in_wheel()) install_in_clone(options);
  std::vector<std::string> words = {GymOptions().interpreter(),
                                    own_folder().parent_path() / "tandem_program"};
  words.insert(words.end(), {options.plugin, "--version", TANDEM_VERSION});
  words.insert(words.end(), {"--package", own_folder(), "--folders", joined(plugin_folders())});
  for (const auto& place : options.find_links) words.insert(words.end(), {"--find-links", place});
  if (options.force) words.emplace_back("--force");
  become_python(std::move(words));
}

}  // namespace

void add_install(CLI::App& program) {
  auto* command =
      program.add_subcommand("install", "Build a plug-in: atari, mujoco, football, doom or torcs");
  const auto options = std::make_shared<InstallOptions>();
  command->add_option("PLUGIN", options->plugin, "atari, mujoco, football, doom or torcs")
      ->required()
      ->check(CLI::IsMember(kPlugins));
  command
      ->add_option("--find-links", options->find_links,
                   "Folder or page with the plug-in's source; may be said again (default: the "
                   "package index)")
      ->type_name("PLACE")
      ->allow_extra_args(false);
  command->add_flag("--force", options->force, "Build it anew even if it is there and works");
  end_help(*command, {"tandem install football"}, kInstallFooter);
  command->callback([options] { install(*options); });
}

}  // namespace tandem
