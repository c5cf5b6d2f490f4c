#include "tandem/trainer/training.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/base/sha256.h"
#include "tandem/nn/make_network.h"
#include "tandem/run/training_run.h"
#include "tandem/systems/common/learner_state.h"
#include "tandem/trainer/measured.h"
#include "tandem/trainer/network_settings.h"
#include "tandem/trainer/training_evaluation.h"

namespace tandem {
namespace {

std::optional<FoundCheckpoint> find_resume_point(const RunDirectory& directory, bool resume) {
  if (!resume) return std::nullopt;
  return find_latest(directory.paths().checkpoints(),
                     [](const std::string& what) { spdlog::warn("{}", what); });
}

/// Checks the checkpoint before any file of the run changes. It must belong to this config, even if
/// config.toml has been edited since. The budget must not be below the steps already made, but
/// the earlier budget is always enough: a run may exceed its budget by a few steps and be killed
/// before it records its end. Returns the earlier budget.
std::int64_t check_resume(const FoundCheckpoint& found, const Config& config) {
  const auto& text = found.checkpoint.part("config").get<std::string>();
  const auto before = load_config(
      "", with_younger_keys(parse_toml(text, "the checkpoint's config")), config.catalogue);
  require_measured(before);
  require_same_experiment(config, before);
  config.system->check_resume(found.checkpoint);
  if (config.run.steps < std::min(found.step, before.run.steps)) {
    throw Error(fmt::format("the run has made {} steps already, more than --steps {}", found.step,
                            config.run.steps));
  }
  if (config.optimizer.anneal_steps < 0 && config.run.steps != before.run.steps) {
    spdlog::warn(
        "optimizer.anneal_steps = -1: the learning rate now reaches its end at step {} and not at "
        "{}, so it jumps here",
        config.run.steps, before.run.steps);
  }
  return before.run.steps;
}

/// Lets nobody wait for a checkpoint of a run that has ended, however it ended.
class Ending {
 public:
  explicit Ending(RunControl& control) : control_(control) {}
  ~Ending() { control_.end("the run has ended"); }
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;

 private:
  RunControl& control_;
};

}  // namespace

Training::Training(const Config& config, const std::filesystem::path& folder, bool resume,
                   std::shared_ptr<RunControl> control, const StopRequested& stop_requested)
    : control_(std::move(control)),
      assembly_(config, [&] { return control_->stop_requested() || stop_requested(); }),
      evaluation_(training_evaluation(assembly_.config())),
      directory_(resume ? RunDirectory::reopen(folder) : RunDirectory::create(folder)),
      found_(find_resume_point(directory_, resume)) {
  std::int64_t budget_before = 0;
  if (found_) {
    budget_before = check_resume(*found_, assembly_.config());
    load_learner(found_->checkpoint, assembly_.learner());
    control_->count(found_->step);
    spdlog::info("going on from {}", found_->folder.string());
    if (!assembly_.spec().saves) {
      spdlog::warn("the games of {} begin anew, because they cannot be saved",
                   assembly_.config().env.id);
      assembly_.begin_other_games(static_cast<std::uint64_t>(found_->step));
    }
  }
  directory_.write_config(assembly_.config().toml());  // a resumed run may have another budget
  auto measured = measured_keys(config, assembly_.config());
  std::ranges::copy(config.measured, std::back_inserter(measured));
  if (!measured.empty()) directory_.note_measured(measured);
  directory_.note_budget({.from = found_ ? found_->step : 0, .steps = assembly_.config().run.steps},
                         budget_before);
  const auto& device = assembly_.config().run.device;
  directory_.note_backend(backend_of(architecture(), device),
                          found_ ? backend_of_old_run(architecture(), device) : "");
}

std::string Training::run(TrainingView view) {
  const Ending ending(*control_);
  auto options = assembly_.run_options();
  options.stop_requested = [this, asked = std::move(view.stop_requested)] {
    return control_->stop_requested() || asked();
  };
  options.control = control_;
  options.evaluation = evaluation_;
  options.until_evaluations = awaited_evaluations(assembly_.config());
  options.on_log = std::move(view.observe);
  options.on_evaluation = std::move(view.observe_evaluation);
  options.progress = view.progress;
  options.label = std::move(view.label);
  TrainingRun run(std::move(options), std::move(directory_), found_ ? &*found_ : nullptr);
  TrainingContext context = assembly_.context(run, found_ ? &found_->checkpoint : nullptr);
  try {
    assembly_.config().system->train(context);
    run.finish(sha256_hex(std::as_bytes(assembly_.learner().parameters())));
    return run.why_done();
  } catch (const std::exception& error) {
    run.fail(error);
    throw;
  }
}

}  // namespace tandem
