#include "tandem/app/train.h"

#include <spdlog/spdlog.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "tandem/app/assembly.h"
#include "tandem/base/error.h"
#include "tandem/base/sha256.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/run_directory.h"
#include "tandem/run/signals.h"
#include "tandem/run/training_run.h"

namespace tandem {
namespace {

std::optional<FoundCheckpoint> find_resume_point(const RunDirectory& directory, bool resume) {
  if (!resume) return std::nullopt;
  return find_latest(directory.paths().checkpoints(),
                     [](const std::string& what) { spdlog::warn("{}", what); });
}

/// Before anything of the run is touched: the checkpoint must be one of this config, whatever was
/// done to config.toml since, and the budget still to come.
void check_resume(const FoundCheckpoint& found, const Config& config) {
  const auto& text = found.checkpoint.part("config").get<std::string>();
  require_same_experiment(config, load_config("", parse_toml(text, "the checkpoint's config")));
  if (config.run.steps >= found.step) return;
  throw Error(fmt::format("the run has made {} steps already, more than --steps {}", found.step,
                          config.run.steps));
}

void say_how_to_go_on(std::int64_t steps, std::int64_t budget,
                      const std::filesystem::path& folder) {
  if (steps < budget) {
    spdlog::info("stopped; go on with: tandem train --resume {}", folder.string());
  } else {
    spdlog::info(
        "finished; see how well it plays with: tandem eval {} (--resume with a larger "
        "--steps goes on)",
        folder.string());
  }
}

}  // namespace

void train(const Config& config, const std::filesystem::path& folder, bool resume) {
  Assembly assembly(config);
  Learner& learner = assembly.learner();

  const StopSignals signals;
  auto directory = resume ? RunDirectory::reopen(folder) : RunDirectory::create(folder);
  const auto found = find_resume_point(directory, resume);
  if (found) {
    check_resume(*found, config);
    load_learner(found->checkpoint, learner);
    spdlog::info("going on from {}", found->folder.string());
  }
  directory.write_config(config.toml());  // a resumed run may have another budget
  auto options = assembly.run_options();
  options.stop_requested = [&] { return signals.requested(); };
  spdlog::info("the run is in {}; Ctrl-C ends it with a checkpoint", folder.string());
  TrainingRun run(std::move(options), std::move(directory), found ? &*found : nullptr);
  Parts parts = assembly.parts(run, found ? &found->checkpoint : nullptr);
  try {
    train_system(config, parts);
    run.finish(sha256_hex(std::as_bytes(learner.parameters())));
    say_how_to_go_on(run.steps(), config.run.steps, folder);
  } catch (const std::exception& error) {
    run.fail(error.what());
    throw;
  }
}

}  // namespace tandem
