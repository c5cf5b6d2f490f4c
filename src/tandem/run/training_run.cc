#include "tandem/run/training_run.h"

#include <fmt/format.h>

#include <limits>
#include <numeric>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "tandem/io/files.h"
#include "tandem/io/json_text.h"
#include "tandem/run/divergence.h"
#include "tandem/run/evaluation_files.h"
#include "tandem/run/evaluator.h"
#include "tandem/run/step_lines.h"

namespace tandem {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kReturnWindow = 100;
constexpr double kRedrawSeconds = 1;
constexpr auto kPart = "run";  // a part of the checkpoint's meta
constexpr auto kConfigPart = "config";

std::optional<std::int64_t> step_of(const FoundCheckpoint* resume) {
  return resume ? std::optional(resume->step) : std::nullopt;
}

ordered_json or_null(std::optional<double> value) {
  return value ? ordered_json(*value) : ordered_json();
}

}  // namespace

TrainingRun::TrainingRun(TrainingRunOptions options, RunDirectory directory,
                         const FoundCheckpoint* resume)
    : options_(std::move(options)),
      directory_(std::move(directory)),
      metrics_(directory_.paths().folder, step_of(resume)),
      target_return_(options_.until_return) {
  if (options_.progress != nullptr) printer_.emplace(options_.progress);
  if (resume != nullptr) {
    restore(resume->checkpoint);
    saved_step_ = steps();
    saved_updates_ = updates_;
    last_checkpoint_ = resume->folder;
    options_.control->count(steps());
  }
  if (options_.repeatable) {
    auto log = FingerprintLog::go_on(paths().folder, updates_);
    if (log) fingerprints_.emplace(*std::move(log));
  }
  begin_evaluations(step_of(resume));
  // A result from before the resume would look like this run's.
  std::error_code error;
  std::filesystem::remove(paths().result(), error);
}

TrainingRun::~TrainingRun() = default;

void TrainingRun::begin_evaluations(std::optional<std::int64_t> resumed_at) {
  const auto& evaluation = options_.evaluation;
  const auto ignore = [](const std::string&) {};
  if (resumed_at) best_before_ = read_best(paths().best(), evaluation ? evaluation->warn : ignore);
  if (!evaluation) {
    if (options_.until_evaluations > 0) {
      throw std::logic_error("a run that ends by an evaluation needs evaluations");
    }
    cut_lines_after(paths().evaluations(), "step", resumed_at);
    return;
  }
  evaluator_ = std::make_unique<Evaluator>(*evaluation, paths(), resumed_at, best_before_,
                                           [this] { directory_.require_in_place(); });
  if (!resumed_at) return;
  // The checkpoint may be older than the evaluation of its parameters.
  for (const auto& record : read_evaluations(paths().evaluations())) {
    if (record.protocol == evaluation->protocol) look_at(record);
  }
}

void TrainingRun::restore(const Checkpoint& checkpoint) {
  const auto& state = checkpoint.part(kPart);
  try {
    steps_ = state.at("steps").get<std::int64_t>();
    seconds_before_ = state.at("seconds").get<double>();
    updates_ = state.at("updates").get<std::int64_t>();
    episodes_ = state.at("episodes").get<std::int64_t>();
    last_returns_ = state.at("last_returns").get<std::deque<double>>();
    timed_steps_ = state.at("timed_steps").get<std::int64_t>();
    timed_seconds_ = state.at("timed_seconds").get<double>();
    // Another number of evaluations is another goal.
    if (state.value("until_evaluations", options_.until_evaluations) == options_.until_evaluations)
      target_return_.restore(state.value("reached_return", json()));
  } catch (const json::exception& error) {
    throw Error(
        fmt::format("the checkpoint's state.json was written by another version of tandem "
                    "(in '{}': {})",
                    kPart, error.what()));
  }
}

bool TrainingRun::done() const { return complete() || options_.stop_requested(); }

std::string TrainingRun::why_done() const {
  if (target_return_.reached()) return "return";
  return steps() >= options_.steps_budget && !lacks_evaluation_ ? "budget" : "signal";
}

void TrainingRun::record(const UpdateReport& report) {
  const Lock lock(mutex_);
  require_finite(report, options_.metrics, steps() + report.steps, last_checkpoint_);
  if (fingerprints_ && report.updates > 0) add_fingerprint(report);
  options_.control->count(steps_ += report.steps);
  updates_ += report.updates;
  for (const auto& episode : report.episodes) {
    episodes_ += 1;
    last_returns_.push_back(episode.episode_return);
    if (last_returns_.size() > kReturnWindow) last_returns_.pop_front();
  }
  if (!report.episodes.empty()) look_at_training_games();
  interval_.add(report);
  if (since_update_) {
    timed_steps_ += report.steps;
    timed_seconds_ += since_update_->lap();
  } else {
    since_update_.emplace();
  }

  const bool redraw =
      printer_ && printer_->redraws() && since_progress_.seconds() >= kRedrawSeconds;
  const bool log_due = interval_.seconds() >= options_.log_seconds;
  if (log_due) log();
  if (options_.until_evaluations > 0 && evaluator_->has_finished()) add_evaluations();
  if (redraw || log_due) show_progress();
}

// A resumed run finds its place in the file by the number of updates, so each report must count
// one.
void TrainingRun::add_fingerprint(const UpdateReport& report) {
  if (report.updates != 1) {
    throw std::logic_error("a system that repeats reports each of its updates");
  }
  fingerprints_->add(report, steps() + report.steps);
}

// The mean of a few games may be high by luck, so the window must be full.
void TrainingRun::look_at_training_games() {
  if (options_.until_evaluations > 0 || last_returns_.size() < kReturnWindow) return;
  target_return_.look(*mean_return(), steps(), seconds());
}

void TrainingRun::look_at(const EvaluationRecord& record) {
  const auto awaited = static_cast<std::size_t>(options_.until_evaluations);
  if (awaited == 0) return;
  last_evaluations_.push_back(record.mean);
  if (last_evaluations_.size() > awaited) last_evaluations_.pop_front();
  if (last_evaluations_.size() < awaited) return;
  const double sum = std::accumulate(last_evaluations_.begin(), last_evaluations_.end(), 0.0);
  target_return_.look(sum / static_cast<double>(awaited), record.step, record.training_seconds);
}

void TrainingRun::log() {
  if (interval_.updates() == 0 && interval_.steps() == 0) return;
  ordered_json line = {{"frames", steps() * options_.frames_per_step},
                       {"seconds", seconds()},
                       {"updates", updates_},
                       {"episodes", episodes_}};
  if (const auto mean = mean_return()) line["episode/return_mean_100"] = *mean;
  line.update(interval_.scalars(options_.metrics, options_.frames_per_step));
  recent_rate_ = interval_.steps_per_second();
  recent_loss_ = interval_.loss();
  metrics_.write(steps(), line);
  if (options_.on_log) {
    line["step"] = steps();
    options_.on_log(line);
  }
  add_evaluations();
  if (fingerprints_) fingerprints_->flush();
  interval_ = {};
}

void TrainingRun::show_progress() {
  if (!printer_) return;
  since_progress_.lap();
  // The rate of an interval that has just begun means little.
  const bool current = interval_.steps() > 0 && interval_.seconds() >= kRedrawSeconds;
  const Metric& random = options_.metrics.back();
  const double rate = current ? interval_.steps_per_second() : recent_rate_;
  const auto steps_left = static_cast<double>(options_.steps_budget - steps());
  const auto best = this->best();
  printer_->show({.label = options_.label,
                  .steps = steps(),
                  .budget = options_.steps_budget,
                  .frames = steps() * options_.frames_per_step,
                  .steps_per_second = rate,
                  .episodes = episodes_,
                  .mean_return = mean_return(),
                  .best = best ? std::optional(best->mean) : std::nullopt,
                  .randomness = random.name,
                  .random = random.mean(current ? interval_.loss() : recent_loss_),
                  // Earlier parts of the run, on other machines perhaps, say nothing of the rest.
                  .seconds_left = rate > 0 ? std::optional(steps_left / rate) : std::nullopt});
}

bool TrainingRun::checkpoint_due() const {
  if (options_.control->asked()) return true;
  const Lock lock(mutex_);
  return minutes_passed() || (evaluator_ != nullptr && evaluator_->due(steps()));
}

bool TrainingRun::write_due() const {
  const bool ends = done();  // asks the user's function, which must not wait for the lock
  const Lock lock(mutex_);
  return must_write(ends);
}

/// A run that a signal ends evaluates nothing more.
bool TrainingRun::needs_evaluation(bool ends) const {
  if (evaluator_ == nullptr) return false;
  return ends ? complete() && evaluator_->lacks(steps()) : evaluator_->due(steps());
}

void TrainingRun::save(Checkpoint& checkpoint) {
  if (const auto step = stamp(checkpoint)) write(checkpoint, *step);
}

std::optional<std::int64_t> TrainingRun::stamp(Checkpoint& checkpoint, bool may_write) {
  const bool ends = done();  // before the lock, as in write_due()
  const Lock lock(mutex_);
  const bool evaluates = needs_evaluation(ends);
  if (!may_write && (ends || !evaluates)) return std::nullopt;
  const bool for_evaluation_alone = evaluates && (!may_write || !must_write(ends));
  if (!for_evaluation_alone) {
    since_checkpoint_.lap();
    stamped_ = options_.control->take();
  }
  // A learner may make updates while its actors wait.
  const bool saved = saved_step_ == steps() && saved_updates_ == updates_;
  const bool writes = !for_evaluation_alone && !saved;
  if (!for_evaluation_alone && !writes) options_.control->answer(stamped_, last_checkpoint_);
  if (!writes && !evaluates) return std::nullopt;
  require_finite(checkpoint);
  if (writes) log();  // a resumed run keeps the lines up to this step and repeats none of them
  if (writes && fingerprints_) fingerprints_->sync();  // the checkpoint counts them
  checkpoint.meta[kPart] = {{"steps", steps()},
                            {"seconds", seconds()},
                            {"updates", updates_},
                            {"episodes", episodes_},
                            {"last_returns", last_returns_},
                            {"timed_steps", timed_steps_},
                            {"timed_seconds", timed_seconds_},
                            {"until_evaluations", options_.until_evaluations},
                            {"reached_return", target_return_.json(options_.frames_per_step)}};
  checkpoint.meta[kConfigPart] = options_.config;
  if (!evaluates) return steps();
  auto shown = writes ? checkpoint.without_pieces() : std::move(checkpoint);
  evaluator_->offer(std::move(shown), steps(), seconds());
  return writes ? std::optional(steps()) : std::nullopt;
}

void TrainingRun::write(const Checkpoint& checkpoint, std::int64_t step) {
  const Lock writing(writing_);
  directory_.require_in_place();
  auto written = write_checkpoint(checkpoint, paths().checkpoints(), step);
  const Lock lock(mutex_);
  last_checkpoint_ = std::move(written);
  saved_step_ = step;
  saved_updates_ = checkpoint.part(kPart).at("updates").get<std::int64_t>();
  since_checkpoint_.lap();
  options_.control->answer(stamped_, last_checkpoint_);
}

void TrainingRun::finish(const std::string& parameters_sha256) {
  ordered_json ended;
  {
    const Lock lock(mutex_);
    log();
    show_progress();
    if (printer_) printer_->end_line();
    ended = result(why_done(), parameters_sha256);
    // The last checkpoint shows the last state, so it answers all requests from now on, too.
    constexpr auto kEveryRequest = std::numeric_limits<RunControl::Request>::max();
    if (!last_checkpoint_.empty()) options_.control->answer(kEveryRequest, last_checkpoint_);
    options_.control->end("the run has ended without a checkpoint");
  }
  const bool evaluates = evaluator_ != nullptr && complete();
  lacks_evaluation_ = evaluates && !evaluate_last();
  if (evaluator_ != nullptr) evaluator_->end();
  const Lock lock(mutex_);
  add_evaluations();               // one of them may reach the return, too
  if (evaluates) show_progress();  // with the best
  if (printer_) printer_->end_line();
  ended["reached_return"] = target_return_.json(options_.frames_per_step);
  ended["best"] = best_json();
  ended["why_ended"] = why_done();
  directory_.require_in_place();
  replace_durably(paths().result(), json_text(ended) + "\n");
}

bool TrainingRun::evaluate_last() {
  std::optional<Stopwatch> since_shown;
  return evaluator_->finish(options_.stop_requested, [&](std::int64_t step, int ended) {
    const Lock lock(mutex_);
    if (!printer_ || (since_shown && !printer_->redraws())) return;
    if (since_shown && ended > 0 && since_shown->seconds() < kRedrawSeconds) return;
    printer_->say(fmt::format("evaluating the parameters of step {}: {} of {} games have ended",
                              step, ended, options_.evaluation->episodes));
    since_shown.emplace();
  });
}

/// Training threads do this, because the evaluator's thread, which has the lowest priority, could
/// keep the lock for long.
void TrainingRun::add_evaluations() {
  if (evaluator_ == nullptr) return;
  for (const auto& record : evaluator_->take_finished()) {
    metrics_.show(record.step, "eval/return_mean", record.mean);
    look_at(record);
    if (options_.on_evaluation) options_.on_evaluation(to_json(record));
  }
}

std::optional<EvaluationRecord> TrainingRun::best() const {
  return evaluator_ != nullptr ? evaluator_->best() : best_before_;
}

void TrainingRun::fail(const std::exception& error) noexcept {
  try {
    const Lock lock(mutex_);
    if (printer_) printer_->end_line();
    const bool diverged = dynamic_cast<const Diverged*>(&error) != nullptr;
    const auto why = fmt::format("{}: {}", diverged ? "diverged" : "error", error.what());
    options_.control->end(fmt::format(
        "the run has ended by an error, so no checkpoint was written: {}", error.what()));
    directory_.require_in_place();
    replace_durably(paths().result(), json_text(result(why, nullptr)) + "\n");
  } catch (...) {
    // The user sees `error`, which says more than a second error from the same disk.
  }
}

ordered_json TrainingRun::best_json() const {
  const auto record = best();
  if (!record) return nullptr;
  return {{"step", record->step}, {"mean", record->mean}};
}

double TrainingRun::steps_per_second() const {
  return timed_seconds_ > 0 ? static_cast<double>(timed_steps_) / timed_seconds_ : 0;
}

std::optional<double> TrainingRun::mean_return() const {
  if (last_returns_.empty()) return std::nullopt;
  const double sum = std::accumulate(last_returns_.begin(), last_returns_.end(), 0.0);
  return sum / static_cast<double>(last_returns_.size());
}

ordered_json TrainingRun::result(const std::string& why_ended,
                                 const json& parameters_sha256) const {
  return {{"system", options_.system},
          {"env", options_.env},
          {"seed", options_.seed},
          {"steps", steps()},
          {"frames", steps() * options_.frames_per_step},
          {"seconds", seconds()},
          {"steps_per_second", steps_per_second()},
          {"episodes", episodes_},
          {"mean_return", or_null(mean_return())},
          {"reached_return", target_return_.json(options_.frames_per_step)},
          {"best", best_json()},
          {"parameters_sha256", parameters_sha256},
          {"why_ended", why_ended},
          {"version", TANDEM_VERSION}};
}

}  // namespace tandem
