// The contract of every network, as a test suite over its factory.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "tandem/nn/network.h"
#include "tests/nn/distance.h"

namespace tandem {

struct Atari {
  explicit Atari(const NetConfig& config = {})
      : architecture(make_architecture(config, spec())),
        parameters(architecture.parameter_count()) {
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

inline void copy_heads(const Heads& heads, const Heads& d) {
  std::ranges::copy(heads.logits, d.logits.begin());
  std::ranges::copy(heads.value, d.value.begin());
}

/// Computes the gradient of the whole batch at once.
inline void differentiate(Network& network, const Atari& atari, std::span<float> gradient) {
  Outputs outputs;
  network.record({atari.observations}, outputs.heads());
  network.backward(copy_heads, gradient);
}

/// Samples [first, first + count) of a batch's observations or heads.
inline std::span<const std::byte> rows_of(const Atari& atari, std::int64_t first,
                                          std::int64_t count) {
  const auto bytes = static_cast<std::int64_t>(atari.observations.size()) / Atari::kBatch;
  return std::span(atari.observations).subspan(first * bytes, count * bytes);
}

inline Heads rows_of(Outputs& outputs, std::int64_t first, std::int64_t count) {
  return {count, 6, std::span(outputs.logits).subspan(first * 6, count * 6),
          std::span(outputs.value).subspan(first, count)};
}

/// The numbers of the threads in this process now, which may be those of threads that were joined a
/// moment ago as well.
inline std::set<std::string> threads_now() {
  std::set<std::string> threads;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    threads.insert(thread.path().filename().string());
  }
  return threads;
}

struct NetworkCase {
  std::string name;
  std::function<std::unique_ptr<Network>(const Architecture&, std::span<const float>)> make;
  // The limit on the distance between a gradient computed in parts and that of the whole batch.
  double rounding = 1e-5;
  NetConfig net = {};
  bool same_bits = true;  // of a gradient that is computed again
};

inline void PrintTo(const NetworkCase& network, std::ostream* out) { *out << network.name; }

/// Test programs instantiate it with the library's networks.
class NetworkContract : public testing::TestWithParam<NetworkCase> {
 protected:
  static std::unique_ptr<Network> make(const Atari& atari) {
    return GetParam().make(atari.architecture, atari.parameters);
  }
};

inline std::string network_name(const testing::TestParamInfo<NetworkCase>& info) {
  return info.param.name;
}

}  // namespace tandem
