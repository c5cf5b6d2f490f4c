#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
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

TEST(TorchNetwork, ManyThreadsShareOneParameterBuffer) {
  Atari atari;
  const auto alone = make_torch_network(atari.architecture, atari.parameters, "cpu");
  Outputs expected;
  alone->forward(atari.observations, expected.heads());
  std::vector<float> expected_gradient(atari.parameters.size());
  alone->gradient(atari.observations, Atari::kBatch, copy_heads, expected_gradient);

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
        network->gradient(atari.observations, Atari::kBatch, copy_heads, gradient);
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
  const auto before = thread_count();
  std::thread([&] {
    const auto network = make_torch_network(atari.architecture, atari.parameters, "cpu");
    Outputs outputs;
    std::vector<float> gradient(atari.parameters.size());
    network->forward(atari.observations, outputs.heads());
    network->gradient(atari.observations, Atari::kBatch, copy_heads, gradient);
    EXPECT_EQ(thread_count(), before + 1);
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
