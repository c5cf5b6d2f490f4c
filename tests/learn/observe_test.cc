#include "tandem/learn/observe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/base/random.h"
#include "tandem/learn/hogwild.h"
#include "tandem/learn/learner.h"
#include "tandem/learn/shared_model.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kNumbers = 3;
constexpr std::size_t kStatistics = 4 * kNumbers + 2;

using Observations = std::vector<float>;  // rows of kNumbers

void add(std::span<const Observations> pieces, std::vector<float>& statistics) {
  std::vector<std::span<const std::byte>> bytes;
  for (const auto& piece : pieces) bytes.push_back(std::as_bytes(std::span(piece)));
  add_observations(bytes, input_statistics_in(statistics));
}

std::vector<float> no_statistics() {
  std::vector<float> statistics(kStatistics);
  input_statistics_in(statistics).clear();
  return statistics;
}

/// Numbers of very different sizes, the last of which never changes.
Observations some(Stream& stream, int rows) {
  Observations all;
  for (int i = 0; i < rows; ++i) {
    all.push_back(1e-3F * stream.normal());
    all.push_back(2000 + 10 * stream.normal());
    all.push_back(0.3F);
  }
  return all;
}

Architecture architecture() {
  return make_architecture(
      {.arch = "mlp", .hidden = 8},
      {.dtype = DType::f32, .frame_shape = {static_cast<std::int64_t>(kNumbers)}, .num_actions = 2},
      true, true);
}

// numpy: mean and var (ddof 0) of [[1, 2, 0], [3, 2, 0], [4, 2, 0], [8, 6, 0]] by columns.
TEST(Observe, MeanAndVarianceAreThoseOfNumpy) {
  auto statistics = no_statistics();
  const std::vector<Observations> pieces = {{1, 2, 0, 3, 2, 0}, {4, 2, 0}};
  add(pieces, statistics);
  add(std::vector<Observations>{{8, 6, 0}}, statistics);
  const auto result = input_statistics_in(statistics);
  EXPECT_THAT(result.mean, ElementsAre(4, 3, 0));
  EXPECT_THAT(result.variance, ElementsAre(6.5, 3, 0));
  EXPECT_THAT(result.count, ElementsAre(4, 0));
}

// However the observations are divided among batches and pieces, the statistics are those of all of
// them at once. Seen failing without the distance between the means in the merged variance.
TEST(Observe, ManyBatchesGiveTheMomentsOfAllObservations) {
  Stream stream(5, 6);
  auto statistics = no_statistics();
  Observations all;
  for (int batch = 0; batch < 200; ++batch) {
    std::vector<Observations> pieces;
    for (int piece = 0; piece < 1 + batch % 3; ++piece)
      pieces.push_back(some(stream, 1 + batch % 7));
    add(pieces, statistics);
    for (const auto& piece : pieces) all.insert(all.end(), piece.begin(), piece.end());
  }
  const auto result = input_statistics_in(statistics);
  const double count = static_cast<double>(all.size()) / kNumbers;
  EXPECT_EQ(result.count[0], count);
  for (std::size_t i = 0; i < kNumbers; ++i) {
    double mean = 0;
    double squares = 0;
    for (auto at = i; at < all.size(); at += kNumbers) mean += all[at] / count;
    for (auto at = i; at < all.size(); at += kNumbers)
      squares += (all[at] - mean) * (all[at] - mean);
    EXPECT_NEAR(result.mean[i], mean, 1e-7 * std::abs(mean)) << i;
    EXPECT_NEAR(result.variance[i], squares / count, 1e-6 * squares / count + 1e-12) << i;
  }
  // A number that never changes stays at its mean exactly, or the network would see noise.
  EXPECT_EQ(result.mean[2], 0.3F);
  EXPECT_EQ(result.variance[2], 0);
}

// A mean of a billion observations still follows a batch of five. Seen failing without the rests.
TEST(Observe, FollowsAfterABillionObservations) {
  auto statistics = no_statistics();
  auto result = input_statistics_in(statistics);
  std::ranges::fill(result.mean, 1000.0F);
  result.count[0] = 1e9F;
  constexpr int kBatches = 10'000;
  const std::vector<Observations> batch = {Observations(5 * kNumbers, 2000.0F)};
  for (int i = 0; i < kBatches; ++i) add(batch, statistics);
  EXPECT_EQ(static_cast<double>(result.count[0]) + result.count[1], 1e9 + 5 * kBatches);
  const double moved = 1000.0 * 5 * kBatches / (1e9 + 5 * kBatches);
  EXPECT_NEAR(static_cast<double>(result.mean[0]) + result.mean_rest[0] - 1000, moved,
              1e-3 * moved);
}

TEST(Observe, RefusesNumbersThatAreNotFiniteAndChangesNothing) {
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity(), 3e38F}) {
    auto statistics = no_statistics();
    add(std::vector<Observations>{{1, 2, 3}}, statistics);
    const auto before = statistics;
    const auto message = error_of([&] { add(std::vector<Observations>{{1, bad, 3}}, statistics); });
    EXPECT_THAT(message, HasSubstr("number 1 (counted from 0) is not finite")) << bad;
    EXPECT_EQ(statistics, before);
  }
  auto statistics = no_statistics();
  add({}, statistics);
  EXPECT_EQ(statistics, no_statistics());
}

/// Makes some updates with a gradient that is not 0 at the statistics either.
void update(Learner& learner, std::size_t gradients) {
  Workers workers(2);
  const std::vector<std::vector<float>> all(gradients,
                                            std::vector<float>(learner.parameters().size(), 0.25F));
  for (int i = 0; i < 3; ++i) (void)learner.apply(all, i, workers);
}

// An optimizer divides by the mean square of a gradient, which would be 0 here: 0 / 0. Seen failing
// when the optimizer had all parameters, and when the norm counted all of the gradient.
TEST(Observe, OptimizersLeaveTheStatisticsAlone) {
  for (const std::string kind : {"rmsprop", "centered_rmsprop", "momentum", "adam"}) {
    for (const std::size_t gradients : {1, 3}) {
      const OptimizerConfig config{.kind = kind, .epsilon = 0, .initial_square = 0};
      Learner learner(architecture(), config, 7);
      Learner plain(architecture().without_statistics(), config, 7);
      const auto trained = plain.parameters().size();
      const auto statistics = learner.parameters().subspan(trained);
      const std::vector<float> before(statistics.begin(), statistics.end());
      update(learner, gradients);
      update(plain, gradients);
      EXPECT_TRUE(std::ranges::equal(statistics, before)) << kind;
      EXPECT_TRUE(std::ranges::equal(learner.parameters().first(trained), plain.parameters()))
          << kind;
      for (const auto& slot : learner.optimizer_slots()) {
        EXPECT_LE(slot.values.size(), trained) << slot.name;
      }
    }
  }
}

TEST(Observe, ALearnerWithoutStatisticsTakesNoNotice) {
  Learner learner(architecture().without_statistics(), {}, 7);
  const std::vector<float> before(learner.parameters().begin(), learner.parameters().end());
  const Observations shown = {1, 2, 3};
  const auto bytes = std::as_bytes(std::span(shown));
  learner.observe({&bytes, 1});
  EXPECT_TRUE(std::ranges::equal(learner.parameters(), before));
}

TEST(Observe, ASharedModelShowsParametersAndStatisticsOfOneUpdate) {
  Learner learner(architecture(), {}, 7);
  SharedModel model(learner);
  std::optional<std::int64_t> version;
  std::vector<float> copy(model.size());
  (void)model.copy_if_newer(version, copy);
  const std::vector<std::vector<float>> gradients(1, std::vector<float>(model.size(), 1.0F));
  const Observations shown = {1, 2, 3, 3, 2, 1};
  const auto bytes = std::as_bytes(std::span(shown));
  (void)model.apply(gradients, 0, {&bytes, 1});
  ASSERT_TRUE(model.copy_if_newer(version, copy));
  const auto statistics = input_statistics_in(std::span(copy).last(kStatistics));
  EXPECT_THAT(statistics.mean, ElementsAre(2, 2, 2));
  EXPECT_THAT(statistics.variance, ElementsAre(1, 0, 1));
  EXPECT_THAT(statistics.count, ElementsAre(2, 0));
}

// Every observation counts, also while other threads update and copy the parameters. Seen failing
// without the lock in observe(), and when apply() wrote the statistics, too.
TEST(Observe, NoObservationOfManyThreadsIsLost) {
  constexpr int kThreads = 4;
  constexpr int kUpdates = 3000;
  for (const bool locking : {false, true}) {
    Learner learner(architecture(), {.lr = 1e-3}, 7);
    Hogwild shared(learner, {.locking = locking}, kThreads);
    std::vector<std::thread> team;
    for (int thread = 0; thread < kThreads; ++thread) {
      team.emplace_back([&, thread] {
        std::vector<float> own(learner.parameters().size());
        const std::vector<float> gradient(own.size(), 0.5F);
        const Observations shown = {1, 5, -1, 1, 5, 3};
        const auto bytes = std::as_bytes(std::span(shown));
        for (int i = 0; i < kUpdates; ++i) {
          shared.copy_parameters(own);
          (void)shared.apply(thread, gradient, 0);
          shared.observe({&bytes, 1});
        }
      });
    }
    for (auto& thread : team) thread.join();
    const auto statistics = input_statistics_in(learner.parameters().last(kStatistics));
    EXPECT_THAT(statistics.count, ElementsAre(2 * kThreads * kUpdates, 0));
    EXPECT_THAT(statistics.mean, ElementsAre(1, 5, 1));
    EXPECT_THAT(statistics.variance, ElementsAre(0, 0, 4));
  }
}

}  // namespace
}  // namespace tandem
