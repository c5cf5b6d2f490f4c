#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

#include "tandem/base/clock.h"
#include "tandem/env/builtin.h"

namespace tandem {
namespace {

enum class Distribution { constant, uniform, exponential, gamma };

Distribution distribution_of(const std::string& name) {
  if (name == "constant") return Distribution::constant;
  if (name == "uniform") return Distribution::uniform;
  if (name == "exponential") return Distribution::exponential;
  return Distribution::gamma;
}

// A draw with mean 1.
double draw(Distribution distribution, Stream& stream) {
  if (distribution == Distribution::constant) return 1;
  if (distribution == Distribution::uniform) return 2.0 * stream.uniform();
  if (distribution == Distribution::exponential) return -std::log(1.0 - stream.uniform());
  const double normal = stream.normal();
  return normal * normal;  // chi-squared with one degree of freedom: gamma with shape 1/2
}

class Latency : public Env {
 public:
  explicit Latency(const BuiltinOptions& options)
      : mean_us_(options.mean_us),
        distribution_(distribution_of(options.distribution)),
        sleeping_(options.wait == "sleeping") {
    const bool pixels = options.observation == "pixels";
    spec_ = {
        .dtype = pixels ? DType::u8 : DType::f32,
        .frame_shape = pixels ? std::vector<std::int64_t>{1, 84, 84} : std::vector<std::int64_t>{4},
        .stack = options.stack,
        .num_actions = 6};
  }

  [[nodiscard]] const EnvSpec& spec() const override { return spec_; }

  void reset(Stream&, std::span<std::byte> frame) override { show(0, frame); }

  StepResult step(std::span<const Action>, Stream& stream, std::span<std::byte> frame) override {
    const double share = draw(distribution_, stream);
    pass(mean_us_ * share);
    show(share, frame);
    return {};
  }

  void save(StateWriter&) const override {}
  void load(StateReader&) override {}

 private:
  void pass(double microseconds) const {
    if (sleeping_) {
      std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(microseconds));
      return;
    }
    // The loop measures processor time, not wall-clock time, so threads that share a core slow each
    // other down.
    const double end = thread_processor_seconds() + 1e-6 * microseconds;
    while (thread_processor_seconds() < end) continue;
  }

  // Writes the frame; `share` is the time of the step as a multiple of the mean.
  void show(double share, std::span<std::byte> frame) const {
    if (spec_.dtype == DType::u8) {
      std::memset(frame.data(), static_cast<int>(std::min(64 * share, 255.0)), frame.size());
      return;
    }
    const std::array values{static_cast<float>(share), 0.0f, 0.0f, 0.0f};
    std::memcpy(frame.data(), values.data(), sizeof(values));
  }

  EnvSpec spec_;
  double mean_us_;
  Distribution distribution_;
  bool sleeping_;
};

}  // namespace

std::unique_ptr<Env> make_latency(const BuiltinOptions& options) {
  return std::make_unique<Latency>(options);
}

}  // namespace tandem
