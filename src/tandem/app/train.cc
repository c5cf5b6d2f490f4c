#include "tandem/app/train.h"

#include <spdlog/spdlog.h>

#include <optional>
#include <span>
#include <string>
#include <utility>

#include "tandem/app/assembly.h"
#include "tandem/base/sha256.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/run_directory.h"
#include "tandem/run/signals.h"
#include "tandem/run/training_run.h"

namespace tandem {
namespace {

std::optional<FoundCheckpoint> find_resume_point(const RunDirectory& directory, bool resume) {
  if (!resume) return std::nullopt;
  auto found = find_latest(directory.paths().checkpoints(),
                           [](const std::string& what) { spdlog::warn("{}", what); });
  spdlog::info("resuming from {}", found.folder.string());
  return found;
}

}  // namespace

void train(const Config& config, const std::filesystem::path& folder, bool resume) {
  Assembly assembly(config);
  Learner& learner = assembly.learner();

  const StopSignals signals;
  auto directory = resume ? RunDirectory::reopen(folder) : RunDirectory::create(folder);
  const auto found = find_resume_point(directory, resume);
  if (found) load_learner(found->checkpoint, learner);
  directory.write_config(config.toml());  // a resumed run may have another budget
  auto options = assembly.run_options();
  options.stop_requested = [&] { return signals.requested(); };
  TrainingRun run(std::move(options), std::move(directory), found ? &*found : nullptr);
  Parts parts = assembly.parts(run, found ? &found->checkpoint : nullptr);
  try {
    train_system(config, parts);
    run.finish(sha256_hex(std::as_bytes(learner.parameters())));
  } catch (const std::exception& error) {
    run.fail(error.what());
    throw;
  }
}

}  // namespace tandem
