// `tandem track`: runs the Python program that passes a run's measurements on to a tracker.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tandem/app/commands.h"
#include "tandem/app/help.h"
#include "tandem/app/python_program.h"
#include "tandem/base/error.h"

namespace tandem {
namespace {

constexpr const char* kTrackFooter = R"(
It follows RUN/metrics.jsonl and RUN/evaluations.jsonl until the run ends, and goes on
where it stopped when it is started again: RUN/track has its memory. The Python of
$TANDEM_PYTHON, or of .venv, needs the tracker: pip install wandb, mlflow or trackio.)";

struct TrackOptions {
  std::string run;
  std::string to;
  std::string project;
  std::string name;
  std::string uri;
  bool offline = false;
  bool wait = false;
  bool begin_new = false;
};

/// Becomes the follower.
[[noreturn]] void track(const TrackOptions& options) {
  if (options.offline && options.to != "wandb") {
    throw Error(
        "--offline is for wandb alone: mlflow and trackio write to this machine by default");
  }
  if (!options.uri.empty() && options.to != "mlflow") {
    throw Error("--uri is for mlflow alone: it names its server or store");
  }
  std::vector<std::string> words = {find_python("passes measurements on", options.to),
                                    find_python_code("tandem_track"), "--to=" + options.to};
  const auto add = [&](const std::string& option, const std::string& value) {
    if (!value.empty()) words.push_back(option + "=" + value);
  };
  add("--project", options.project);
  add("--name", options.name);
  add("--uri", options.uri);
  if (options.offline) words.emplace_back("--offline");
  if (options.wait) words.emplace_back("--wait");
  if (options.begin_new) words.emplace_back("--new");
  words.insert(words.end(), {"--", options.run});
  become_python(std::move(words));
}

}  // namespace

void add_track(CLI::App& program) {
  auto* command =
      program.add_subcommand("track", "Show a run in wandb, MLflow or trackio, live or afterwards");
  const auto options = std::make_shared<TrackOptions>();
  command->add_option("RUN", options->run, "The folder of a run")->required();
  command->add_option("--to", options->to, "wandb, mlflow or trackio")
      ->required()
      ->check(CLI::IsMember({"wandb", "mlflow", "trackio"}));
  command->add_option("--project", options->project,
                      "The project, or MLflow's experiment (default: tandem)");
  command->add_option("--name", options->name,
                      "The name of the run there (default: that of its folder)");
  command
      ->add_option("--uri", options->uri,
                   "mlflow: the server or store (default: $MLFLOW_TRACKING_URI, or MLflow's own)")
      ->type_name("URI");
  command->add_flag("--offline", options->offline,
                    "wandb: keep all on the disk, in RUN/track, until `wandb sync` sends it");
  command->add_flag("--wait", options->wait,
                    "Wait for a run that has not begun yet, or is to be resumed after a kill");
  command->add_flag("--new", options->begin_new,
                    "Begin another run there, and pass all measurements on again");
  end_help(*command,
           {"tandem track runs/pong --to wandb --project pong",
            "tandem track runs/pong --to mlflow --uri http://localhost:5000 --wait"},
           kTrackFooter);
  command->callback([options] { track(*options); });
}

}  // namespace tandem
