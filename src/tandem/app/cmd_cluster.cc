// `tandem cluster`: runs the Python program that trains on many machines.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tandem/app/commands.h"
#include "tandem/app/config_options.h"
#include "tandem/app/help.h"
#include "tandem/app/number_check.h"
#include "tandem/app/python_program.h"
#include "tandem/base/error.h"
#include "tandem/cluster/cluster_way.h"
#include "tandem/run/run_directory.h"

namespace tandem {
namespace {

constexpr const char* kClusterFooter = R"(
Without --address it starts Ray on this machine; with one it joins that cluster. The run's
folder is as that of `tandem train`: eval, plot and compare read it, and --resume goes on
after a stop, and after the loss of every process. docs/cluster.md tells how to start Ray
on many machines. The Python of $TANDEM_PYTHON, or of .venv, needs Ray: pip install
'tandem-rl[ray]'.)";

struct ClusterOptions {
  ConfigOptions config;
  std::string run_dir;
  std::string resume;
  std::string address;
  std::string working_dir;
  int actors = 0;
  int shards = 1;
  bool shards_given = false;
};

/// Checks the words before any process of a cluster starts.
void check(const ClusterOptions& options) {
  if (!options.resume.empty()) {
    require_run(options.resume);
    const auto file = RunPaths{options.resume}.config();
    static_cast<void>(cluster_way_of(*options.config.load_resumed(file).system));
    return;
  }
  if (!options.config.has_system()) {
    throw Error("which SYSTEM to train with? For example: tandem cluster train apex");
  }
  const auto config = options.config.load();
  if (options.shards_given && !cluster_way_of(*config.system).has_shards()) {
    throw Error(fmt::format("--shards: {} has no replay; leave it out", config.system_name));
  }
}

/// Lets Python look for modules in this folder first. All processes of a cluster that starts on
/// this machine inherit it.
void put_before_python_path(const std::filesystem::path& folder) {
  const char* before = std::getenv("PYTHONPATH");
  const auto path =
      before == nullptr ? folder.string() : fmt::format("{}:{}", folder.string(), before);
  setenv("PYTHONPATH", path.c_str(), 1);
}

/// Lets Python find the package of a build folder.
void see_own_package() {
  const auto own = own_program().parent_path() / "python";
  if (std::filesystem::exists(own / "tandem")) put_before_python_path(own);
}

/// Lets this process look at environments whose modules are in the user's folder.
void see_modules_of(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw Error(fmt::format("--working-dir: {} is no folder", folder.string()));
  }
  put_before_python_path(std::filesystem::absolute(folder));
}

/// The plan as the cluster's program reads it. JSON holds nothing but UTF-8.
std::string plan_text(const nlohmann::ordered_json& plan) {
  try {
    return plan.dump();
  } catch (const nlohmann::ordered_json::type_error&) {
    constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
    throw Error(fmt::format(
        "a path or a setting is not UTF-8, and the program of a cluster takes nothing else; rename "
        "the file or folder: {}",
        plan.dump(-1, ' ', false, kReplace)));
  }
}

/// Becomes the driver of the cluster.
[[noreturn]] void train(const ClusterOptions& options) {
  if (!options.working_dir.empty()) see_modules_of(options.working_dir);
  check(options);
  const auto& resume = options.resume;
  auto plan = options.config.json(resume.empty() ? "" : RunPaths{resume}.config());
  plan["run_dir"] = options.resume.empty() ? options.run_dir : options.resume;
  plan["resume"] = !options.resume.empty();
  if (options.shards_given) plan["shards"] = options.shards;
  if (options.actors > 0) plan["actors"] = options.actors;
  if (!options.address.empty()) plan["address"] = options.address;
  if (!options.working_dir.empty()) plan["working_dir"] = options.working_dir;
  auto text = plan_text(plan);
  std::vector<std::string> words = {find_python("carries the messages of a cluster", "ray"),
                                    find_python_code("tandem_cluster"), std::move(text)};
  see_own_package();
  become_python(std::move(words));
}

void add_cluster_train(CLI::App& cluster) {
  auto* command = cluster.add_subcommand("train", "Train an agent on many machines");
  const auto options = std::make_shared<ClusterOptions>();
  options->config.add_to(*command, {"--threads", "--device"});
  command->add_option("--address", options->address, "A Ray cluster's HOST:PORT, or auto")
      ->type_name("HOST:PORT");
  auto* actors =
      command
          ->add_option("--actors", options->actors, "Processes that play (default: the config's)")
          ->transform(whole_number(1, 1024));
  auto* shards = command->add_option("--shards", options->shards, "Processes that hold the replay")
                     ->transform(whole_number(1, 64))
                     ->capture_default_str();
  command
      ->add_option(
          "--working-dir", options->working_dir,
          "Folder whose Python modules all machines shall have, for environments in Python")
      ->type_name("DIR");
  auto* run_dir = command
                      ->add_option("--run-dir", options->run_dir,
                                   "Folder for the run's files, which the learner's machines see")
                      ->type_name("DIR");
  command
      ->add_option("--resume", options->resume,
                   "Go on with the run in this folder, on as many parts as it had")
      ->type_name("DIR")
      ->excludes(run_dir)
      ->excludes(actors)
      ->excludes(shards);
  end_help(*command,
           {"tandem cluster train apex --config apex/two_cores --env atari:Pong --actors 4",
            "tandem cluster train apex --config apex/atari --address auto --actors 360 --shards 4"},
           kClusterFooter);
  command->callback([options, shards] {
    options->shards_given = shards->count() > 0;
    train(*options);
  });
}

}  // namespace

void add_cluster(CLI::App& program) {
  auto* cluster = program.add_subcommand("cluster", "Train on many machines, which Ray connects");
  cluster->require_subcommand(1);
  end_help(*cluster, {"tandem cluster train apex --config apex/catch --actors 2 --shards 2"});
  add_cluster_train(*cluster);
}

}  // namespace tandem
