#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "tandem/base/error.h"
#include "tandem/nn/network.h"

namespace tandem {
namespace {

struct Atari {
  Atari()
      : architecture(make_architecture({}, spec())), parameters(architecture.parameter_count()) {
    Stream stream(3, 4);
    initialise(architecture, stream, parameters);
    for (auto& byte : observations) byte = static_cast<std::byte>(stream.bits());
  }

  static EnvSpec spec() {
    EnvSpec spec;
    spec.dtype = DType::u8;
    spec.frame_shape = {1, 84, 84};
    spec.stack = 4;
    spec.num_actions = 6;
    return spec;
  }

  static constexpr std::int64_t kBatch = 24;
  Architecture architecture;
  std::vector<float> parameters;
  std::vector<std::byte> observations = std::vector<std::byte>(kBatch * 4 * 84 * 84);
};

struct Outputs {
  std::vector<float> logits = std::vector<float>(Atari::kBatch * 6);
  std::vector<float> value = std::vector<float>(Atari::kBatch);
  Heads heads() { return {Atari::kBatch, 6, logits, value}; }
};

void copy_heads(const Heads& heads, const Heads& d) {
  std::ranges::copy(heads.logits, d.logits.begin());
  std::ranges::copy(heads.value, d.value.begin());
}

/// Of the whole batch at once.
void differentiate(Network& network, const Atari& atari, std::span<float> gradient) {
  Outputs outputs;
  network.record(atari.observations, outputs.heads());
  network.backward(copy_heads, gradient);
}

TEST(TorchNetwork, SeesNewParametersAfterReload) {
  Atari atari;
  const auto network = make_torch_network(atari.architecture, atari.parameters, "cpu");
  Outputs before;
  network->forward(atari.observations, before.heads());
  for (auto& parameter : atari.parameters) parameter *= 0.5f;
  network->reload();
  Outputs after;
  network->forward(atari.observations, after.heads());
  const auto fresh = make_torch_network(atari.architecture, atari.parameters, "cpu");
  Outputs expected;
  fresh->forward(atari.observations, expected.heads());
  EXPECT_NE(before.logits, after.logits);
  EXPECT_EQ(expected.logits, after.logits);
  EXPECT_EQ(expected.value, after.value);
}

/// Samples [first, first + count) of a batch's observations or heads.
std::span<const std::byte> part(const Atari& atari, std::int64_t first, std::int64_t count) {
  const auto bytes = static_cast<std::int64_t>(atari.observations.size()) / Atari::kBatch;
  return std::span(atari.observations).subspan(first * bytes, count * bytes);
}

Heads part(Outputs& outputs, std::int64_t first, std::int64_t count) {
  return {count, 6, std::span(outputs.logits).subspan(first * 6, count * 6),
          std::span(outputs.value).subspan(first, count)};
}

TEST(TorchNetwork, BackwardOverRecordedSamplesIsTheGradientOfTheWholeBatch) {
  Atari atari;
  const auto network = make_torch_network(atari.architecture, atari.parameters, "cpu");
  std::vector<float> expected(atari.parameters.size());
  differentiate(*network, atari, expected);
  std::vector<float> gradient(expected.size());
  for (int rollout = 0; rollout < 3; ++rollout) {
    Outputs recorded;
    std::int64_t first = 0;
    for (const std::int64_t count : {1, 7, 16}) {
      network->record(part(atari, first, count), part(recorded, first, count));
      // Passes that are not recorded, for the value of a last state, must not disturb.
      Outputs other;
      network->forward(atari.observations, other.heads());
      first += count;
    }
    network->backward(
        [&](const Heads& heads, const Heads& d) {
          EXPECT_EQ(heads.batch, Atari::kBatch);
          EXPECT_TRUE(std::ranges::equal(heads.logits, recorded.logits));
          EXPECT_TRUE(std::ranges::equal(heads.value, recorded.value));
          copy_heads(heads, d);
        },
        gradient);
    double difference = 0;
    double size = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      difference += std::pow(gradient[i] - expected[i], 2);
      size += std::pow(expected[i], 2);
    }
    EXPECT_LT(std::sqrt(difference / size), 1e-5);
  }
}

TEST(TorchNetwork, RefusesABackwardOfNothingAndOtherSizes) {
  Atari atari;
  const auto network = make_torch_network(atari.architecture, atari.parameters, "cpu");
  std::vector<float> gradient(atari.parameters.size());
  EXPECT_THROW(network->backward(copy_heads, gradient), std::logic_error);
  Outputs outputs;
  EXPECT_THROW(network->forward(part(atari, 0, 1), outputs.heads()), std::logic_error);
  EXPECT_THROW(
      network->forward(atari.observations, {Atari::kBatch, 5, outputs.logits, outputs.value}),
      std::logic_error);
  EXPECT_THROW(network->record({}, {0, 6, {}, {}}), std::logic_error);
}

TEST(TorchNetwork, ForgetsRecordedSamplesAtReload) {
  Atari atari;
  const auto network = make_torch_network(atari.architecture, atari.parameters, "cpu");
  Outputs outputs;
  network->record(part(atari, 0, 3), part(outputs, 0, 3));
  network->reload();
  network->record(part(atari, 3, 2), part(outputs, 3, 2));
  std::vector<float> gradient(atari.parameters.size());
  network->backward(
      [&](const Heads& heads, const Heads& d) {
        EXPECT_EQ(heads.batch, 2);
        copy_heads(heads, d);
      },
      gradient);
}

TEST(TorchNetwork, ManyThreadsShareOneParameterBuffer) {
  Atari atari;
  const auto alone = make_torch_network(atari.architecture, atari.parameters, "cpu");
  Outputs expected;
  alone->forward(atari.observations, expected.heads());
  std::vector<float> expected_gradient(atari.parameters.size());
  differentiate(*alone, atari, expected_gradient);

  std::vector<std::thread> threads;
  threads.reserve(4);
  std::vector<int> same(4);
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&, k] {
      const auto network = make_torch_network(atari.architecture, atari.parameters, "cpu");
      std::vector<float> gradient(atari.parameters.size());
      same[k] = 1;
      for (int repeat = 0; repeat < 5; ++repeat) {
        Outputs outputs;
        network->forward(atari.observations, outputs.heads());
        differentiate(*network, atari, gradient);
        same[k] &= outputs.logits == expected.logits && gradient == expected_gradient;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_THAT(same, testing::Each(1));
}

/// Threads of this process now.
std::ptrdiff_t thread_count() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

TEST(TorchNetwork, StartsNoThreads) {
  // Seen failing with keep_to_this_thread() left out of TorchNetwork (on two cores).
  Atari atari;
  prepare_torch();
  std::thread([&] {
    const auto before = thread_count();
    const auto network = make_torch_network(atari.architecture, atari.parameters, "cpu");
    Outputs outputs;
    std::vector<float> gradient(atari.parameters.size());
    network->forward(atari.observations, outputs.heads());
    differentiate(*network, atari, gradient);
    EXPECT_EQ(thread_count(), before);
  }).join();
}

TEST(TorchNetwork, SaysWhatToDoWithoutTheDevice) {
  Atari atari;
  EXPECT_THAT([&] { make_torch_network(atari.architecture, atari.parameters, "tpu"); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("use cpu or cuda")));
  try {
    make_torch_network(atari.architecture, atari.parameters, "cuda");
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("--device cpu"));
    return;
  }
  GTEST_SKIP() << "this machine has a GPU";
}

}  // namespace
}  // namespace tandem
