#include "tandem/acting/batched_inference.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "tandem/learn/shared_model.h"
#include "tandem/sync/crew.h"
#include "tests/support/eventually.h"
#include "tests/support/linear_network.h"

namespace tandem {
namespace {

Architecture one_number() {
  return linear_architecture({.dtype = DType::f32, .frame_shape = {1}, .num_actions = 2});
}

/// An actor with one sample at a time. It must outlive the predictors, which write into it.
class Actor {
 public:
  explicit Actor(BatchedInference& policy) : client_(policy) {}

  /// The value of a state that shows `x`.
  float ask(float x) {
    x_ = x;
    client_.look({std::as_bytes(std::span(&x_, 1))}, {1, 2, logits_, std::span(&value_, 1)});
    EXPECT_EQ(logits_[0], 0);
    return value_;
  }

  /// The same, of a state to act in.
  float act(float x) {
    x_ = x;
    client_.act({std::as_bytes(std::span(&x_, 1))}, {1, 2, logits_, std::span(&value_, 1)});
    return value_;
  }

  PolicyClient& client() { return client_; }

 private:
  PolicyClient client_;
  float x_ = 0;
  std::array<float, 2> logits_{};
  float value_ = 0;
};

class BatchedInferenceTest : public testing::Test {
 protected:
  BatchedInferenceTest() {
    std::ranges::fill(learner_.parameters(), 0.0F);
    learner_.parameters()[4] = 1;  // the value is the number that the state shows
  }
  ~BatchedInferenceTest() override { crew_.end(); }

  NetworkCopy copy() {
    return {model_, [](std::span<const float> parameters) {
              return std::make_unique<LinearNetwork>(one_number(), parameters);
            }};
  }
  void predict(int predictors) {
    crew_.spawn("predictor", predictors, [this](int) {
      auto model = copy();
      BatchedInference::Batch batch;
      for (;;) policy_.answer(model, batch);
    });
  }

  Learner learner_{one_number(), {.kind = "momentum", .lr = 1, .momentum = 0, .clip_norm = 0}, 1};
  SharedModel model_{learner_};
  Crew crew_;
  BatchedInference policy_{one_number(), 8, crew_.stop_token()};
};

// Seen failing when scatter() did not move on from one request to the next.
TEST_F(BatchedInferenceTest, EachOfManyActorsGetsItsOwnAnswer) {
  predict(3);
  std::atomic<int> left = 20;
  Crew actors;
  actors.spawn("actor", 20, [&](int rank) {
    Actor actor(policy_);
    for (int i = 0; i < 200; ++i) {
      const auto x = static_cast<float>(1000 * rank + i);
      ASSERT_EQ(actor.ask(x), x);
    }
    --left;
  });
  actors.join();
  EXPECT_EQ(left, 0);
  const auto stats = policy_.take_stats();
  EXPECT_EQ(stats.predictions, 20 * 200);
  EXPECT_LE(stats.batches, stats.predictions);
  EXPECT_GT(stats.latency_seconds.quantile(0.5), 0);
  EXPECT_EQ(policy_.take_stats().predictions, 0);
}

// Seen hanging when a batch took all waiting requests, and when it took one.
TEST_F(BatchedInferenceTest, ABatchIsWhatWaitsUpToItsLimit) {
  std::vector<std::unique_ptr<Actor>> actors;
  for (int i = 0; i < 11; ++i) actors.push_back(std::make_unique<Actor>(policy_));
  Crew asking;
  asking.spawn("actor", 11, [&](int rank) { actors[static_cast<std::size_t>(rank)]->ask(1); });
  auto model = copy();
  BatchedInference::Batch batch;
  EXPECT_TRUE(eventually([&] { return policy_.waiting() >= 11; }));
  policy_.answer(model, batch);
  EXPECT_EQ(policy_.take_stats().predictions, 8);
  policy_.answer(model, batch);
  EXPECT_EQ(policy_.take_stats().predictions, 3);
  asking.join();
}

TEST_F(BatchedInferenceTest, AQuestionOfMoreSamplesThanABatchIsABatch) {
  predict(1);
  PolicyClient client(policy_);
  std::vector<float> shown(20), logits(40), values(20);
  std::iota(shown.begin(), shown.end(), 0.0F);
  client.look({std::as_bytes(std::span(shown))}, {20, 2, logits, values});
  EXPECT_EQ(values, shown);
  EXPECT_EQ(policy_.take_stats().batches, 1);
}

// Requests that keep their activations share a batch with one that does not. Seen failing when the
// places of one request stood for the samples of another.
TEST_F(BatchedInferenceTest, ABatchKeepsTheActivationsOfSomeRequests) {
  auto model = copy();
  auto& recorder = *model.network().at_places();
  const auto kept = recorder.make_activations(3);
  std::vector<std::unique_ptr<Actor>> actors;
  for (int i = 0; i < 3; ++i) actors.push_back(std::make_unique<Actor>(policy_));
  actors[0]->client().record_into(kept.get(), {2}, {1});
  actors[2]->client().record_into(kept.get(), {0}, {1});
  Crew asking;
  asking.spawn("actor", 3, [&](int rank) {
    auto& actor = *actors[static_cast<std::size_t>(rank)];
    const auto x = static_cast<float>(10 + rank);
    if (rank == 1) {
      EXPECT_EQ(actor.ask(x), x);
    } else {
      EXPECT_EQ(actor.act(x), x);
    }
  });
  EXPECT_TRUE(eventually([&] { return policy_.waiting() >= 3; }));
  BatchedInference::Batch batch;
  policy_.answer(model, batch);
  asking.join();
  std::vector<float> gradient(model_.size());
  for (const auto& [place, x] : {std::pair<std::int64_t, float>(2, 10), {0, 12}, {1, 0}}) {
    recorder.backward([&](const Heads& heads, const Heads&) { EXPECT_EQ(heads.value[0], x); },
                      gradient, {*kept, place, 1});
  }
}

TEST_F(BatchedInferenceTest, AnswersByTheNewestParametersAndSaysWhich) {
  predict(1);
  Actor actor(policy_);
  EXPECT_EQ(actor.ask(3), 3);
  EXPECT_EQ(actor.client().version(), 0);
  std::vector<float> gradient(model_.size());
  gradient[4] = -1;
  model_.apply({&gradient, 1}, 0);
  EXPECT_EQ(actor.ask(3), 6);
  EXPECT_EQ(actor.client().version(), 1);
}

// Seen hanging with a wait that ignores the stop.
TEST_F(BatchedInferenceTest, AStopWakesActorsAndPredictors) {
  predict(2);
  std::atomic<int> unwound = 0;
  std::vector<std::unique_ptr<Actor>> actors;
  for (int i = 0; i < 3; ++i) actors.push_back(std::make_unique<Actor>(policy_));
  crew_.spawn("actor", 3, [&](int rank) {
    try {
      for (;;) actors[static_cast<std::size_t>(rank)]->ask(1);
    } catch (const Stopped&) {
      ++unwound;
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  crew_.end();
  EXPECT_EQ(unwound, 3);
}

TEST_F(BatchedInferenceTest, WhoPredictsForItselfHasTheNewestParameters) {
  std::stop_source stop;
  LocalInference own(copy(), Answering::alone, stop.get_token());
  PolicyClient client(own);
  std::vector<float> shown{1, 2, 3}, logits(6), values(3);
  const auto ask = [&] { client.look({std::as_bytes(std::span(shown))}, {3, 2, logits, values}); };
  ask();
  EXPECT_EQ(values, shown);
  std::vector<float> gradient(model_.size());
  gradient[4] = -1;
  model_.apply({&gradient, 1}, 0);
  ask();
  EXPECT_EQ(values, (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(client.version(), 1);
  stop.request_stop();
  EXPECT_THROW(ask(), Stopped);
}

}  // namespace
}  // namespace tandem
