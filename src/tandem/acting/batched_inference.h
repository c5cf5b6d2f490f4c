// One inference service for many actors: it answers their requests in batches.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "tandem/acting/inference.h"
#include "tandem/acting/network_copy.h"
#include "tandem/base/clock.h"
#include "tandem/base/histogram.h"
#include "tandem/nn/batch.h"
#include "tandem/nn/network.h"
#include "tandem/sync/annotations.h"
#include "tandem/sync/mutex.h"

namespace tandem {

/// Sums over the predictors' work. Value type.
struct PredictionStats {
  std::int64_t predictions = 0;  // answered samples
  std::int64_t batches = 0;
  std::int64_t waiting = 0;      // requests in the queue when a batch is taken, summed over batches
  Histogram latency_seconds;     // of each sample, from the request to the answer
  double computing_seconds = 0;  // seconds that predictors computed
  double idle_seconds = 0;       // seconds that predictors waited for requests
};

/// GA3C's prediction queue (section 4.1). Any number of actors ask and wait for their answers. Any
/// number of predictors answer; each takes as many waiting requests as fit in a batch. No predictor
/// waits for a full batch, but it yields its core to actors that are about to ask. Batches grow
/// with load: more actors or slower predictors make them larger. Safe to use from many threads.
/// Blocking calls throw Stopped once `stop` is requested.
class BatchedInference final : public Inference {
 public:
  /// A batch has at most `most` samples, unless a single request has more. All requests that keep
  /// activations at a time must keep them in the same memory.
  BatchedInference(Architecture architecture, std::int64_t most, std::stop_token stop,
                   Answering answering = Answering::together);

  [[nodiscard]] const Architecture& architecture() const override { return architecture_; }

  /// Called by an actor: waits until a predictor has answered. The memory that the request views
  /// must outlive the predictors, because a predictor may still use it after this throws Stopped.
  void ask(InferenceRequest& question) override;

  /// A predictor's buffers. Each predictor has its own.
  class Batch {
   public:
    Batch() = default;

   private:
    friend class BatchedInference;

    ForwardPass gather(const Network& network, const Architecture& architecture);
    void scatter(const Heads& heads) const;

    std::vector<InferenceRequest*> questions_;
    std::int64_t samples_ = 0;
    Stopwatch watch_;  // started when the predictor found the first request
    Pieces observations_;
    std::vector<float> state_;
    std::vector<std::uint8_t> episode_starts_;
    std::vector<std::int64_t> places_;
    HeadsBuffer heads_;
  };

  /// Called by a predictor: waits for requests and answers them with the newest parameters.
  void answer(NetworkCopy& model, Batch& batch);

  /// The sums since the last call.
  PredictionStats take_stats();

  /// The actors that wait for an answer which no predictor has begun.
  [[nodiscard]] std::size_t waiting() const {
    const Lock lock(mutex_);
    return waiting_.size();
  }

 private:
  void let_others_ask() TANDEM_REQUIRES(mutex_);
  void take(Batch& batch);
  void reply(const Batch& batch, std::int64_t version);

  const Architecture architecture_;
  const std::int64_t most_;
  const std::stop_token stop_;
  const Answering answering_;
  mutable Mutex mutex_;
  std::condition_variable_any asked_;
  std::vector<InferenceRequest*> waiting_ TANDEM_GUARDED_BY(mutex_);  // in the order of arrival
  std::int64_t waiting_samples_ TANDEM_GUARDED_BY(mutex_) = 0;
  PredictionStats stats_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem
