#include "tandem/acting/batched_inference.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "tandem/base/append.h"
#include "tandem/nn/batch.h"
#include "tandem/sync/crew.h"

namespace tandem {

BatchedInference::BatchedInference(Architecture architecture, std::int64_t most,
                                   std::stop_token stop, Answering answering)
    : architecture_(std::move(architecture)),
      most_(most),
      stop_(std::move(stop)),
      answering_(answering) {}

void BatchedInference::ask(InferenceRequest& question) {
  question.answered = false;
  question.watch = {};
  WaitLock lock(mutex_);
  waiting_.push_back(&question);
  waiting_samples_ += question.pass.out.batch;
  asked_.notify_one();
  wait_until(question.changed, lock, stop_, [&] { return question.answered; });
}

void BatchedInference::answer(NetworkCopy& model, Batch& batch) {
  take(batch);
  model.synchronise();
  if (answering_ == Answering::alone) {
    for (const InferenceRequest* question : batch.questions_) {
      compute(model.network(), question->pass, answering_);
    }
    return reply(batch, model.version());
  }
  const ForwardPass all = batch.gather(model.network(), architecture_);
  compute(model.network(), all, answering_);
  batch.scatter(all.out);
  reply(batch, model.version());
}

/// Yields this thread's core as long as further requests arrive, until the batch is full. Batches
/// grow in this way, although no predictor waits for a full batch.
void BatchedInference::let_others_ask() {
  std::size_t before = 0;
  while (waiting_.size() > before && waiting_samples_ < most_) {
    before = waiting_.size();
    mutex_.unlock();
    std::this_thread::yield();
    mutex_.lock();
  }
}

/// Waits for requests, and moves the oldest ones into the batch.
void BatchedInference::take(Batch& batch) {
  WaitLock lock(mutex_);
  do {
    const Stopwatch watch;
    wait_until(asked_, lock, stop_, [&]() TANDEM_REQUIRES(mutex_) { return !waiting_.empty(); });
    stats_.idle_seconds += watch.seconds();
    batch.watch_ = {};
    let_others_ask();
  } while (waiting_.empty());  // another predictor took them
  stats_.waiting += static_cast<std::int64_t>(waiting_.size());
  batch.questions_.clear();
  batch.samples_ = 0;
  auto next = waiting_.begin();
  do {
    batch.questions_.push_back(*next);
    batch.samples_ += (*next)->pass.out.batch;
    ++next;
  } while (next != waiting_.end() && batch.samples_ + (*next)->pass.out.batch <= most_);
  waiting_.erase(waiting_.begin(), next);
  waiting_samples_ -= batch.samples_;
  if (!waiting_.empty()) asked_.notify_one();
}

void BatchedInference::reply(const Batch& batch, std::int64_t version) {
  {
    const Lock lock(mutex_);
    for (InferenceRequest* question : batch.questions_) {
      question->version = version;
      question->answered = true;
      stats_.latency_seconds.add(question->watch.seconds(), question->pass.out.batch);
    }
    stats_.predictions += batch.samples_;
    stats_.batches += 1;
    stats_.computing_seconds += batch.watch_.seconds();
  }
  // Notifies after releasing the lock, because the woken threads need it.
  for (InferenceRequest* question : batch.questions_) question->changed.notify_one();
}

PredictionStats BatchedInference::take_stats() {
  const Lock lock(mutex_);
  return std::exchange(stats_, {});
}

/// Joins the requests' passes to one.
ForwardPass BatchedInference::Batch::gather(const Network& network,
                                            const Architecture& architecture) {
  observations_.clear();
  state_.clear();
  episode_starts_.clear();
  places_.clear();
  Activations* kept = nullptr;
  for (const InferenceRequest* question : questions_) {
    const auto& [inputs, out, activations, places] = question->pass;
    observations_.add(inputs.observations);
    append<float>(state_, inputs.state);
    append(episode_starts_, inputs.episode_starts);
    if (activations == nullptr) {
      places_.resize(places_.size() + static_cast<std::size_t>(out.batch), kNowhere);
    } else {
      kept = activations;
      append(places_, places);
    }
  }
  Inputs inputs = observations_.inputs_of(network);
  inputs.state = state_;
  inputs.episode_starts = episode_starts_;
  return {inputs, heads_.of(architecture, samples_), kept, places_};
}

void BatchedInference::Batch::scatter(const Heads& heads) const {
  std::int64_t first = 0;
  auto state = state_.begin();
  for (const InferenceRequest* question : questions_) {
    const Heads own = rows_of(heads, first, question->pass.out.batch);
    std::ranges::copy(own.logits, question->pass.out.logits.begin());
    std::ranges::copy(own.value, question->pass.out.value.begin());
    const auto after = state + std::ssize(question->pass.inputs.state);
    std::copy(state, after, question->pass.inputs.state.begin());
    state = after;
    first += own.batch;
  }
}

}  // namespace tandem
