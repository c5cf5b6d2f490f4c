#include "tandem/run/evaluator.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <exception>
#include <utility>

#include "tandem/base/error.h"

namespace tandem {
namespace {

double wall_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

std::string words(const EvaluationProtocol& protocol) {
  return fmt::format("{} actions, start {}", protocol.actions, protocol.start);
}

}  // namespace

Evaluator::Evaluator(EvaluatorOptions options, const RunPaths& paths,
                     std::optional<std::int64_t> resumed_at, std::optional<EvaluationRecord> best,
                     std::function<void()> before_write)
    : options_(std::move(options)),
      paths_(paths),
      before_write_(std::move(before_write)),
      log_(paths.evaluations(), resumed_at),
      next_step_(multiple_after(log_.last_step())),
      last_step_(log_.last_step()),
      best_(std::move(best)) {
  if (best_ && best_->protocol != options_.protocol) {
    options_.warn(fmt::format(
        "the best checkpoint so far was found in games with {}; the first evaluation with {} "
        "replaces it, so copy {} now if you want to keep it",
        words(best_->protocol), words(options_.protocol), paths_.best().string()));
  }
  crew_.spawn("evaluator", 1, [this](int) { work(); });
}

Evaluator::~Evaluator() { end(); }

void Evaluator::end() { crew_.end(); }

bool Evaluator::due(std::int64_t steps) {
  if (steps < next_step_.load(std::memory_order_relaxed)) return false;
  const Lock lock(mutex_);
  if (steps < next_step_.load(std::memory_order_relaxed)) return false;  // offered meanwhile
  if (since_offer_.seconds() < pause_seconds_) return false;
  if (!asked_) asked_.emplace();
  return true;
}

bool Evaluator::lacks(std::int64_t step) const {
  const Lock lock(mutex_);
  return step > last_step_;
}

void Evaluator::offer(Checkpoint snapshot, std::int64_t step, double training_seconds) {
  snapshot.pieces.clear();
  auto offered =
      std::make_shared<const Snapshot>(Snapshot{std::move(snapshot), step, training_seconds});
  const Lock lock(mutex_);
  waiting_.swap(offered);  // the one that waited is destroyed after the lock
  last_step_ = step;
  next_step_ = multiple_after(step);
  const double price = asked_ ? asked_->seconds() : 0;
  pause_seconds_ = price * (1 / options_.collect_share - 1);
  asked_.reset();
  since_offer_.lap();
  offered_.notify_all();
}

std::vector<EvaluationRecord> Evaluator::take_finished() {
  const Lock lock(mutex_);
  has_finished_.store(false, std::memory_order_relaxed);
  return std::exchange(finished_, {});
}

std::optional<EvaluationRecord> Evaluator::best() const {
  const Lock lock(mutex_);
  return best_;
}

bool Evaluator::finish(const StopRequested& stop_requested,
                       const std::function<void(std::int64_t step, int ended)>& show) {
  crew_.end();
  std::vector<SnapshotPtr> left;
  {
    const Lock lock(mutex_);
    left = {std::exchange(playing_, nullptr), std::exchange(waiting_, nullptr)};
  }
  try {
    for (const auto& snapshot : left) {
      if (snapshot == nullptr) continue;
      const auto after_step = [&](int ended) {
        if (stop_requested()) throw Stopped();
        show(snapshot->step, ended);
      };
      after_step(0);
      evaluate(*snapshot, options_.threads, after_step);
    }
    return true;
  } catch (const Stopped&) {  // the user wants to end at once
    return false;
  }
}

void Evaluator::work() {
  take_lowest_priority();
  Throttle throttle(options_.share, options_.elsewhere ? wall_seconds : thread_processor_seconds,
                    wall_seconds);
  while (true) {
    const auto snapshot = next();
    throttle.begin();
    evaluate(*snapshot, 1, [&](int) { rest(throttle); });
    {
      const Lock lock(mutex_);
      playing_ = nullptr;
    }
    rest(throttle);
  }
}

Evaluator::SnapshotPtr Evaluator::next() {
  WaitLock lock(mutex_);
  wait_until(offered_, lock, crew_.stop_token(),
             [this]() TANDEM_REQUIRES(mutex_) { return waiting_ != nullptr; });
  playing_ = std::exchange(waiting_, nullptr);
  return playing_;
}

void Evaluator::rest(Throttle& throttle) {
  const auto stop = crew_.stop_token();
  if (const double seconds = throttle.rest(); seconds > 0) {
    WaitLock lock(mutex_);
    offered_.wait_for(lock, stop, std::chrono::duration<double>(seconds), [] { return false; });
  }
  if (stop.stop_requested()) throw Stopped();
  throttle.begin();
}

void Evaluator::evaluate(const Snapshot& snapshot, int threads,
                         const std::function<void(int ended)>& after_step) {
  try {
    const Stopwatch watch;
    const auto played = options_.play(snapshot.checkpoint, threads, after_step);
    std::vector<double> returns;
    for (const auto& game : played.games) returns.push_back(game.episode_return);
    if (!std::isfinite(played.mean)) throw Error("the returns of its games are not finite");
    keep(snapshot, {.step = snapshot.step,
                    .episodes = std::ssize(played.games),
                    .mean = played.mean,
                    .deviation = played.deviation,
                    .least = played.least,
                    .most = played.most,
                    .protocol = options_.protocol,
                    .seconds = watch.seconds(),
                    .training_seconds = snapshot.training_seconds,
                    .returns = std::move(returns)});
  } catch (const std::exception& error) {
    warn_once(snapshot.step, error.what());
  }
}

// The best checkpoint comes first: after a kill between the two, the evaluation is made again.
void Evaluator::keep(const Snapshot& snapshot, const EvaluationRecord& record) {
  const auto before = best();
  const bool best = !before || before->protocol != record.protocol || record.mean > before->mean;
  if (best) {
    before_write_();
    write_best(snapshot.checkpoint, record, paths_.best());
    const Lock lock(mutex_);
    best_ = record;  // also if the next line cannot be written
  }
  log_.write(record);
  const Lock lock(mutex_);
  finished_.push_back(record);
  has_finished_.store(true, std::memory_order_relaxed);
}

void Evaluator::warn_once(std::int64_t step, const std::string& problem) {
  if (std::exchange(warned_, true)) return;
  options_.warn(fmt::format(
      "the evaluation of the parameters of step {} failed, and the training goes on: {}. Later "
      "steps are still evaluated, but further failures are not reported; to train without "
      "evaluations, stop the run and resume it with --set run.evaluate_steps=0",
      step, problem));
}

}  // namespace tandem
