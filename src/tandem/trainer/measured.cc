#include "tandem/trainer/measured.h"

#include <spdlog/spdlog.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tandem/base/clock.h"
#include "tandem/base/error.h"
#include "tandem/base/streams.h"
#include "tandem/env/normalised_env.h"
#include "tandem/env/uniform_action.h"
#include "tandem/sync/crew.h"

namespace tandem {
namespace {

/// A measurement by random play. Value type.
struct Measurement {
  int frames = 0;
  const char* name = "";       // as users know it
  const char* otherwise = "";  // tells users how to do without it
};

// On Atari, half a minute of play, which an emulator computes in a tenth of a second.
constexpr Measurement kGreyMeasurement{
    .frames = 500, .name = "net.pixel_mean", .otherwise = "net.pixel_mean=0 needs no such play"};
constexpr Measurement kScaleMeasurement{
    .frames = 5000,
    .name = "the mean and deviation of observations for env.normalise",
    .otherwise =
        "With env.normalise=running an agent measures them while it trains, and with "
        "env.normalise=false observations stay as they are"};

/// Tells the log once that random play takes long. A training says nothing else until its end.
class LongPlay {
 public:
  explicit LongPlay(const Measurement& measurement) : measurement_(measurement) {}

  void note(int frames) {
    constexpr double kPatienceSeconds = 3;
    if (told_ || frames == measurement_.frames || watch_.seconds() < kPatienceSeconds) return;
    told_ = true;
    // Python's logging shows warnings unasked, but not what merely informs.
    spdlog::warn("random play measures {}; it has made {} of {} steps in {:.0f} seconds. {}",
                 measurement_.name, frames, measurement_.frames, watch_.seconds(),
                 measurement_.otherwise);
  }

 private:
  const Measurement& measurement_;
  const Stopwatch watch_;
  bool told_ = false;
};

/// Plays randomly and passes frames of the first agent to `show`, including the first frame of each
/// episode. Throws Stopped when a stop is requested.
void play_randomly(Env& env, std::uint64_t seed, const Measurement& measurement,
                   const StopRequested& stop_requested,
                   const std::function<void(std::span<const std::byte> frame)>& show) {
  const auto& spec = env.spec();
  Stream stream(seed, streams::kMeasurement.id());
  std::vector<std::byte> frames(spec.step_bytes());
  const auto first_frame = std::span(frames).first(spec.frame_bytes());
  UniformActions actions(spec);
  LongPlay long_play(measurement);
  bool ended = true;
  for (int i = 0; i < measurement.frames; ++i) {
    if (stop_requested()) throw Stopped();
    if (ended) {
      env.reset(stream, frames);
      ended = false;
    } else {
      const auto result = env.step(actions.draw(stream), stream, frames);
      ended = result.terminated || result.truncated;
    }
    show(first_frame);
    long_play.note(i + 1);
  }
}

/// How often random play shows each grey level of pixels. Not thread-safe.
class Greys {
 public:
  Greys(Env& env, std::uint64_t seed, const StopRequested& stop_requested) {
    play_randomly(env, seed, kGreyMeasurement, stop_requested,
                  [&](std::span<const std::byte> frame) {
                    for (const auto grey : frame) ++counts_[std::to_integer<std::size_t>(grey)];
                  });
    for (const auto count : counts_) pixels_ += count;
  }

  /// From 0 to 1. Sums integers, so the result does not depend on the order of the sum.
  [[nodiscard]] double mean() const {
    std::uint64_t sum = 0;
    for (std::size_t grey = 0; grey < counts_.size(); ++grey) sum += grey * counts_[grey];
    return static_cast<double>(sum) / (kWhite * static_cast<double>(pixels_));
  }

  /// From 0 to 1: half of the pixels are darker or as dark.
  [[nodiscard]] double median() const {
    std::size_t grey = 0;
    for (auto below = counts_[0]; 2 * below < pixels_; below += counts_[grey]) ++grey;
    return static_cast<double>(grey) / kWhite;
  }

 private:
  static constexpr double kWhite = 255;

  std::array<std::uint64_t, 256> counts_{};
  std::uint64_t pixels_ = 0;
};

/// The value that net.pixel_mean asks for; 0 for an environment without pixels.
double measured_grey(const NetConfig& net, Env& env, std::uint64_t seed,
                     const StopRequested& stop_requested) {
  if (env.spec().dtype != DType::u8) return 0;
  const Greys greys(env, seed, stop_requested);
  return net.pixel_mean == NetConfig::kMeasuredMedian ? greys.median() : greys.mean();
}

/// The mean and the deviation of each number of a frame, by Welford's method.
class Moments {
 public:
  explicit Moments(std::size_t numbers) : mean_(numbers), squares_(numbers) {}

  void add(std::span<const std::byte> frame) {
    ++count_;
    for (std::size_t i = 0; i < mean_.size(); ++i) {
      float number = 0;
      std::memcpy(&number, &frame[i * sizeof(number)], sizeof(number));
      const double off = static_cast<double>(number) - mean_[i];
      mean_[i] += off / count_;
      squares_[i] += off * (static_cast<double>(number) - mean_[i]);
    }
  }

  /// The scale from these frames. A number that hardly changes gets the deviation 1, so it keeps
  /// its size.
  [[nodiscard]] ObservationScale scale() const {
    constexpr double kLeastDeviation = 1e-6;
    ObservationScale scale{.mean = mean_, .deviation = {}};
    for (const double square : squares_) {
      const double deviation = std::sqrt(square / count_);
      if (!std::isfinite(deviation)) {
        throw Error("env.normalise: random play shows numbers that are not finite; leave it out");
      }
      scale.deviation.push_back(deviation > kLeastDeviation ? deviation : 1);
    }
    return scale;
  }

 private:
  double count_ = 0;
  std::vector<double> mean_;
  std::vector<double> squares_;  // sums of squared distances from the mean
};

}  // namespace

EnvConfig measured(EnvConfig env, std::uint64_t seed, const StopRequested& stop_requested) {
  if (env.normalise == "auto") env.normalise = shows_numbers(env.spec()) ? "true" : "false";
  if (!env.lacks_scale()) return env;
  auto plain = env;
  plain.normalise = "false";
  const auto played = plain.factory(seed)(0);
  require_numbers(played->spec());
  Moments moments(static_cast<std::size_t>(played->spec().frame_shape.front()));
  play_randomly(*played, seed, kScaleMeasurement, stop_requested,
                [&](std::span<const std::byte> frame) { moments.add(frame); });
  env.set_scale(moments.scale());
  return env;
}

Config measured(Config config, const StopRequested& stop_requested) {
  const auto seed = static_cast<std::uint64_t>(config.run.seed);
  config.env = measured(config.env, seed, stop_requested);
  if (config.net.lacks_pixel_mean()) {
    const auto env = config.env.factory(seed)(0);
    config.net.pixel_mean = measured_grey(config.net, *env, seed, stop_requested);
  }
  return config;
}

std::vector<std::string> measured_keys(const Config& asked, const Config& found) {
  std::vector<std::string> keys;
  if (asked.env.lacks_scale() && found.env.normalise == "true") {
    keys = {"env.observation_mean", "env.observation_deviation"};
  }
  if (asked.net.lacks_pixel_mean()) keys.emplace_back("net.pixel_mean");
  return keys;
}

EnvConfig without_scale(EnvConfig env) {
  if (env.normalise == "auto") env.normalise = "false";
  return env;
}

Config without_scale(Config config) {
  config.env = without_scale(std::move(config.env));
  if (config.net.lacks_pixel_mean()) config.net.pixel_mean = 0;
  return config;
}

void require_measured(const Config& config) {
  if (config.env.lacks_scale()) {
    throw Error(
        "this run has env.normalise, but its config has no env.observation_mean and "
        "env.observation_deviation: a version that did not keep them trained it, and this one "
        "cannot bring them back. Train it anew, or use the version that it was trained with");
  }
  if (config.net.lacks_pixel_mean()) {
    throw Error(
        "this run has a word for net.pixel_mean where its config.toml should have the number that "
        "was measured; write it back there (the checkpoint's config has it)");
  }
}

}  // namespace tandem
