#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "tandem/base/clock.h"
#include "tandem/base/error.h"
#include "tandem/env/builtin.h"
#include "tandem/env/recorded_times.h"

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

// Recorded times, one after the other from a random one on.
class RecordedTimes {
 public:
  explicit RecordedTimes(std::shared_ptr<const std::vector<double>> seconds)
      : seconds_(std::move(seconds)),
        mean_(std::accumulate(seconds_->begin(), seconds_->end(), 0.0) /
              static_cast<double>(seconds_->size())) {}

  [[nodiscard]] double mean() const { return mean_; }

  // Chooses the first time, once.
  void begin(Stream& stream) {
    if (begun_) return;
    next_ = stream.below(static_cast<std::uint32_t>(seconds_->size()));
    begun_ = true;
  }

  // The next time as a multiple of the mean.
  double next_share() {
    const double time = (*seconds_)[next_];
    next_ = (next_ + 1) % seconds_->size();
    return mean_ > 0 ? time / mean_ : 0;
  }

  void save(StateWriter& writer) const {
    writer.put(begun_);
    writer.put(next_);
  }
  void load(StateReader& reader) {
    begun_ = reader.get<bool>();
    next_ = reader.get<std::uint64_t>();
    if (next_ < seconds_->size()) return;
    next_ = 0;
    throw Error("the saved state is of another file of step times");
  }

 private:
  std::shared_ptr<const std::vector<double>> seconds_;
  double mean_;
  bool begun_ = false;
  std::uint64_t next_ = 0;  // index of the next step's time
};

// The times of the options' file; empty: there is none.
std::unique_ptr<RecordedTimes> recorded_of(const BuiltinOptions& options) {
  if (options.step_times.empty()) return nullptr;
  auto times = options.recorded_times;
  if (times == nullptr) {
    times = std::make_shared<std::vector<double>>(read_recorded_times(options.step_times));
  }
  return std::make_unique<RecordedTimes>(std::move(times));
}

class Latency : public Env {
 public:
  explicit Latency(const BuiltinOptions& options)
      : recorded_(recorded_of(options)),
        mean_us_(recorded_ == nullptr ? options.mean_us : 1e6 * recorded_->mean()),
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

  void reset(Stream& stream, std::span<std::byte> frame) override {
    if (recorded_ != nullptr) recorded_->begin(stream);
    show(0, frame);
  }

  StepResult step(std::span<const Action>, Stream& stream, std::span<std::byte> frame) override {
    const double share =
        recorded_ == nullptr ? draw(distribution_, stream) : recorded_->next_share();
    pass(mean_us_ * share);
    show(share, frame);
    return {};
  }

  void save(StateWriter& writer) const override {
    if (recorded_ != nullptr) recorded_->save(writer);
  }
  void load(StateReader& reader) override {
    if (recorded_ != nullptr) recorded_->load(reader);
  }

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
  std::unique_ptr<RecordedTimes> recorded_;  // null: times are drawn
  double mean_us_;
  Distribution distribution_;
  bool sleeping_;
};

}  // namespace

std::unique_ptr<Env> make_latency(const BuiltinOptions& options) {
  return std::make_unique<Latency>(options);
}

}  // namespace tandem
