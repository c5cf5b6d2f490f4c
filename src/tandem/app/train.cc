#include "tandem/app/train.h"

#include <spdlog/spdlog.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "tandem/base/sha256.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/run_directory.h"
#include "tandem/run/signals.h"
#include "tandem/run/training_run.h"
#include "tandem/systems/paac.h"
#include "tandem/systems/parts.h"

namespace tandem {
namespace {

RunDirectory open_directory(const Config& config, const std::filesystem::path& folder,
                            bool resume) {
  if (resume) return RunDirectory::reopen(folder);
  auto directory = RunDirectory::create(folder);
  directory.write_config(config.toml());
  return directory;
}

std::optional<FoundCheckpoint> find_resume_point(const RunDirectory& directory, bool resume) {
  if (!resume) return std::nullopt;
  auto found = find_latest(directory.paths().checkpoints(),
                           [](const std::string& what) { spdlog::warn("{}", what); });
  spdlog::info("resuming from {}", found.folder.string());
  return found;
}

void train_system(const Config& config, Parts& parts) {
  if (config.system == "paac") return train_paac(config.paac, parts);
  throw Error("system '" + config.system + "' cannot train yet");
}

}  // namespace

void train(const Config& config, const std::filesystem::path& folder, bool resume) {
  const auto seed = static_cast<std::uint64_t>(config.run.seed);
  const EnvFactory make_env = config.env.factory(seed);
  const EnvSpec spec = make_env(0)->spec();
  const auto algorithm = make_a2c(config.a2c);
  Learner learner(make_architecture(config.net, spec), config.optimizer, seed);

  const StopSignals signals;
  auto directory = open_directory(config, folder, resume);
  const auto found = find_resume_point(directory, resume);
  if (found) load_learner(found->checkpoint, learner);
  TrainingRun run({.system = config.system,
                   .env = config.env.id,
                   .seed = seed,
                   .steps_budget = config.run.steps,
                   .frames_per_step = spec.frames_per_step,
                   .log_seconds = config.run.log_seconds,
                   .checkpoint_minutes = config.run.checkpoint_minutes,
                   .stop_requested = [&] { return signals.requested(); }},
                  std::move(directory), found ? &*found : nullptr);
  Parts parts{.make_env = make_env,
              .make_network =
                  [&](std::span<const float> parameters) {
                    return make_torch_network(learner.architecture(), parameters,
                                              config.run.device);
                  },
              .algorithm = *algorithm,
              .learner = learner,
              .run = run,
              .seed = seed,
              .threads = config.run.thread_budget(),
              .resume = found ? &found->checkpoint : nullptr};
  try {
    train_system(config, parts);
    run.finish(sha256_hex(std::as_bytes(learner.parameters())));
  } catch (const std::exception& error) {
    run.fail(error.what());
    throw;
  }
}

}  // namespace tandem
