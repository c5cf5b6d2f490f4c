// The cost of networks: microseconds of one core for one sample, by library and precision.
//
// usage: networks [SECONDS [ARCH...]]
//
// The networks are those named, or else the six that speed.md has. Each number is the least of many
// passes, made in turns within SECONDS (default 60) altogether, so that other work on the machine
// has little influence. "forward" is one batch. "training" is as in PAAC: batches of 16 are
// recorded; one backward pass over all of them, the update and the reload follow. 5 samples are
// recorded one by one, as in A3C. The deep residual networks, impala and football, go forward in
// batches of 16 and learn from 256 samples.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tandem/app/process_settings.h"
#include "tandem/base/clock.h"
#include "tandem/base/error.h"
#include "tandem/learn/learner.h"
#include "tandem/nn/onednn/onednn_network.h"
#include "tandem/nn/torch/torch_network.h"

namespace tandem {
namespace {

EnvSpec atari() {
  EnvSpec spec;
  spec.dtype = DType::u8;
  spec.frame_shape = {1, 84, 84};
  spec.stack = 4;
  spec.num_actions = 6;
  return spec;
}

/// Observations like those of a walker.
EnvSpec numbers() {
  EnvSpec spec;
  spec.frame_shape = {17};
  spec.num_actions = 6;
  return spec;
}

/// Four stacks of the four planes of Google Research Football.
EnvSpec planes() {
  EnvSpec spec = atari();
  spec.frame_shape = {4, 72, 96};
  spec.num_actions = 19;
  return spec;
}

/// "mlp" sees vectors, all other networks images.
EnvSpec spec_of(const std::string& arch) {
  if (arch == "football") return planes();
  return arch == "mlp" ? numbers() : atari();
}

constexpr std::int64_t kA3cSteps = 5;

/// A network with a batch, and memory for the results.
class Bench {
 public:
  Bench(const std::string& arch, std::int64_t batch, const std::string& library,
        Precision precision)
      : batch_(batch),
        learner_(make_architecture({.arch = arch}, spec_of(arch)), {}, 1),
        observations_(static_cast<std::size_t>(batch * spec_of(arch).observation_bytes())),
        actions_(learner_.architecture().policy_outputs),
        logits_(static_cast<std::size_t>(batch * actions_)),
        value_(static_cast<std::size_t>(batch)),
        gradient_(1, std::vector<float>(learner_.parameters().size())) {
    const auto& architecture = learner_.architecture();
    network_ = library == "oneDNN"
                   ? make_onednn_network(architecture, learner_.parameters(), precision)
                   : make_torch_network(architecture, learner_.parameters(), "cpu", precision);
    Stream stream(1, 2);
    if (architecture.input_dtype == DType::u8) {
      for (auto& byte : observations_) byte = static_cast<std::byte>(stream.bits());
      return;
    }
    for (std::size_t at = 0; at < observations_.size(); at += sizeof(float)) {
      const float number = stream.normal();
      std::memcpy(&observations_[at], &number, sizeof(float));
    }
  }

  void forward() { network_->forward({observations_}, heads(0, batch_)); }

  void train() {
    const auto group = batch_ == kA3cSteps ? 1 : kGroup;
    for (std::int64_t first = 0; first < batch_; first += group) {
      const auto count = std::min(group, batch_ - first);
      const auto bytes = static_cast<std::int64_t>(observations_.size()) / batch_;
      network_->record({std::span(observations_).subspan(first * bytes, count * bytes)},
                       heads(first, count));
    }
    const auto share = 1e-3f / static_cast<float>(batch_);
    network_->backward(
        [&](const Heads& heads, const Heads& d) {
          std::ranges::transform(heads.logits, d.logits.begin(),
                                 [&](float x) { return share * x; });
          std::ranges::transform(heads.value, d.value.begin(), [&](float x) { return share * x; });
        },
        gradient_[0]);
    learner_.apply(gradient_, 0, workers_);
    network_->reload();
  }

 private:
  static constexpr std::int64_t kGroup = 16;  // paac.envs_per_group

  Heads heads(std::int64_t first, std::int64_t count) {
    return {count, actions_, std::span(logits_).subspan(first * actions_, count * actions_),
            std::span(value_).subspan(first, count)};
  }

  std::int64_t batch_;
  Learner learner_;
  Workers workers_{1};  // the calling thread
  std::vector<std::byte> observations_;
  std::int64_t actions_;
  std::vector<float> logits_, value_;
  std::vector<std::vector<float>> gradient_;
  std::unique_ptr<Network> network_;
};

struct Case {
  std::string arch;
  std::int64_t batch;
  bool training;
  std::string library;
  Precision precision;
  double least = std::numeric_limits<double>::infinity();  // seconds; infinity: impossible

  /// Repeats passes for `seconds`.
  void turn(double seconds) {
    std::unique_ptr<Bench> bench;
    try {
      bench = std::make_unique<Bench>(arch, batch, library, precision);
    } catch (const Error&) {
      return;  // this CPU has no instructions for bfloat16
    }
    const Stopwatch watch;
    while (watch.seconds() < seconds) {
      const Stopwatch pass;
      training ? bench->train() : bench->forward();
      least = std::min(least, pass.seconds() / static_cast<double>(batch));
    }
  }
};

/// The batches that are measured.
std::vector<std::int64_t> batches(const std::string& arch, bool training) {
  if (arch == "impala" || arch == "football") return {training ? 256 : 16};
  return training ? std::vector<std::int64_t>{kA3cSteps, 80, 160}
                  : std::vector<std::int64_t>{1, 16, 32, 160};
}

std::vector<Case> cases(const std::vector<std::string>& archs) {
  std::vector<Case> all;
  for (const auto& arch : archs) {
    for (const bool training : {false, true}) {
      for (const auto batch : batches(arch, training)) {
        // libtorch's bf16 is a setting of the whole process, so this program leaves it out.
        for (const auto& library : {"libtorch", "oneDNN"}) {
          all.push_back({arch, batch, training, library, Precision::fp32});
        }
        all.push_back({arch, batch, training, "oneDNN", Precision::bf16});
      }
    }
  }
  return all;
}

void print(const std::vector<Case>& all) {
  fmt::print("us per sample        batch  libtorch fp32  oneDNN fp32  oneDNN bf16\n");
  for (std::size_t i = 0; i + 2 < all.size(); i += 3) {
    const auto us = [&](std::size_t k) {
      const double seconds = all[i + k].least;
      return std::isfinite(seconds) ? fmt::format("{:.1f}", 1e6 * seconds) : "-";
    };
    fmt::print("{:<20} {:>5}  {:>13}  {:>11}  {:>11}\n",
               all[i].arch + (all[i].training ? " training" : " forward"), all[i].batch, us(0),
               us(1), us(2));
  }
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  constexpr int kTurns = 5;
  const double seconds = argc > 1 ? std::atof(argv[1]) : 60;
  tandem::keep_freed_memory();
  std::vector<std::string> archs(argv + std::min(argc, 2), argv + argc);
  if (archs.empty()) archs = {"nips", "nature", "large3", "large1", "linear_conv", "mlp"};
  auto all = tandem::cases(archs);
  for (int turn = 0; turn < kTurns; ++turn) {
    for (auto& one : all) one.turn(seconds / kTurns / static_cast<double>(all.size()));
  }
  tandem::print(all);
}
