#include "tandem/trainer/verification.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tandem/base/clock.h"
#include "tandem/base/error.h"
#include "tandem/io/temporary_folder.h"
#include "tandem/nn/make_network.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/fingerprints.h"
#include "tandem/run/run_directory.h"
#include "tandem/sync/stop_requested.h"
#include "tandem/trainer/assembly.h"
#include "tandem/trainer/measured.h"
#include "tandem/trainer/training.h"

namespace tandem {
namespace {

constexpr double kEndlessMinutes = 1e6;  // the most that a config may have

/// The steps of a run that have one schedule of the learning rate, and that schedule's length. A
/// resumed run may have a second one, where anneal_steps = -1 follows another run.steps.
struct Scheduled {
  std::int64_t steps;
  std::int64_t anneal_steps;
};

Scheduled first_schedule(const Config& config, const RunPaths& run, std::int64_t steps) {
  if (config.optimizer.anneal_steps >= 0) return {steps, config.optimizer.anneal_steps};
  const auto budgets = noted_budgets(run);
  if (budgets.empty()) return {steps, config.run.steps};
  for (const auto& later : std::span(budgets).subspan(1)) steps = std::min(steps, later.from);
  return {steps, budgets.front().steps};
}

/// The same experiment, but shorter. The learning rate keeps the schedule of the whole run.
Config shortened(Config config, std::int64_t steps, std::int64_t anneal_steps) {
  config.optimizer.anneal_steps = anneal_steps;
  config.run.steps = steps;
  config.run.until_return = kNoReturn;
  config.run.checkpoint_minutes = kEndlessMinutes;
  config.run.evaluate_steps = 0;
  return config;
}

bool same_tensors(const Checkpoint& a, const Checkpoint& b) {
  return std::ranges::equal(a.tensors, b.tensors, [](const auto& one, const auto& other) {
    const auto bytes = [](const auto& entry) {
      return std::as_bytes(std::span(entry.second.values));
    };
    return one.first == other.first && std::ranges::equal(bytes(one), bytes(other));
  });
}

/// Whether the last checkpoint of `again` has the tensors of the run's checkpoint at the same step;
/// empty if the run has no good checkpoint of that step and number of updates. Ape-X updates
/// several times between two steps, and the new run ends before them.
std::optional<bool> compare_checkpoints(const RunPaths& run, const RunPaths& again) {
  const auto ignore = [](const std::string&) {};
  constexpr auto kContents = Contents::without_pieces;
  const auto last = find_latest(again.checkpoints(), ignore, kContents);
  try {
    const auto kept = find_at_step(run.checkpoints(), last.step, kContents);
    const auto updates = [](const auto& found) {
      return found.checkpoint.part("run").at("updates");
    };
    if (updates(kept) != updates(last)) return std::nullopt;
    return same_tensors(kept.checkpoint, last.checkpoint);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

Verification verify(const Config& config, const std::filesystem::path& folder, std::int64_t steps,
                    const StopRequested& stop_requested) {
  if (!repeatable(config)) {
    std::vector<std::string> systems;
    for (const auto& one : config.catalogue->systems) {
      systems.push_back(fmt::format("{}: {}", one->info().name, one->info().repeats));
    }
    throw Error(fmt::format(
        "such a run cannot be repeated bit by bit: the threads' timing, or a GPU's order of sums, "
        "changes the result. Runs on the CPU repeat as follows. {}",
        fmt::join(systems, ", ")));
  }
  require_measured(config);
  if (!config.env.spec().saves) {
    throw Error(fmt::format(
        "runs in {} cannot be promised to repeat bit by bit: such environments cannot save their "
        "state, and draw random numbers of their own",
        config.env.id));
  }
  const auto recorded = read_fingerprints(folder);
  if (recorded.empty()) {
    const bool begun = std::filesystem::exists(RunPaths{folder}.updates());
    throw Error(fmt::format("there is nothing to compare a new run with: {} {}", folder.string(),
                            begun ? "has made no update yet" : "has no updates.bin"));
  }

  const TemporaryFolder temporary;
  const RunPaths again{temporary.path() / "again"};
  const Stopwatch watch;
  const auto wanted = std::min(steps, recorded.back().steps);
  const auto schedule = first_schedule(config, {folder}, wanted);
  Training training(shortened(config, schedule.steps, schedule.anneal_steps), again.folder, false);
  try {
    training.run({.stop_requested = stop_requested, .label = "again"});
  } catch (const Error& error) {
    const std::string words = error.what();
    if (words.find(temporary.path().string()) == std::string::npos) throw;
    throw Error(fmt::format("{} (verify trains there; $TMPDIR names another place)", words));
  }
  if (stop_requested()) throw Interrupted();

  const auto repeated = read_fingerprints(again.folder);
  if (repeated.empty()) throw Error("the new run made no update, so there is nothing to compare");
  const auto [one, other] = std::ranges::mismatch(recorded, repeated);
  const auto& device = config.run.device;
  const auto backend = backend_of(training.architecture(), device);
  auto backends = noted_backends({folder});
  if (backends.empty()) backends.push_back(backend_of_old_run(training.architecture(), device));
  std::erase(backends, backend);
  Verification result{.updates = std::ssize(repeated), .seconds = watch.seconds()};
  result.rescheduled = schedule.steps < wanted;
  result.backend = backend;
  result.other_backends = std::move(backends);
  result.steps = repeated.back().steps;
  if (other != repeated.end()) {
    result.parted_at = other - repeated.begin() + 1;
    result.parted_step = other->steps;
  } else {
    result.same_checkpoint = compare_checkpoints({folder}, again);
  }
  return result;
}

}  // namespace tandem
