#include "tandem/env/normalised_env.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tandem/base/error.h"

namespace tandem {
namespace {

constexpr double kFarthest = 10;  // in deviations

class NormalisedEnv : public Env {
 public:
  NormalisedEnv(std::unique_ptr<Env> env, std::shared_ptr<const ObservationScale> scale)
      : env_(std::move(env)), scale_(std::move(scale)) {}

  [[nodiscard]] const EnvSpec& spec() const override { return env_->spec(); }

  void reset(Stream& stream, std::span<std::byte> frame) override {
    env_->reset(stream, frame);
    normalise(frame);
  }

  StepResult step(const Action& action, Stream& stream, std::span<std::byte> frame) override {
    const auto result = env_->step(action, stream, frame);
    normalise(frame);
    return result;
  }

  void save(StateWriter& writer) const override { env_->save(writer); }
  void load(StateReader& reader) override { env_->load(reader); }
  [[nodiscard]] Picture render() const override { return env_->render(); }

 private:
  void normalise(std::span<std::byte> frame) const {
    const auto& [mean, deviation] = *scale_;
    for (std::size_t i = 0; i < mean.size(); ++i) {
      auto* const place = &frame[i * sizeof(float)];
      float number = 0;
      std::memcpy(&number, place, sizeof(number));
      const double scaled = (static_cast<double>(number) - mean[i]) / deviation[i];
      number = static_cast<float>(std::clamp(scaled, -kFarthest, kFarthest));
      std::memcpy(place, &number, sizeof(number));
    }
  }

  std::unique_ptr<Env> env_;
  std::shared_ptr<const ObservationScale> scale_;
};

}  // namespace

bool shows_numbers(const EnvSpec& spec) {
  return spec.dtype == DType::f32 && spec.frame_shape.size() == 1;
}

void require_numbers(const EnvSpec& spec) {
  if (shows_numbers(spec)) return;
  throw Error(
      "env.normalise: this environment shows pictures, not a list of numbers; leave it out "
      "(for pixels there is net.pixel_mean)");
}

std::unique_ptr<Env> make_normalised(std::unique_ptr<Env> env,
                                     std::shared_ptr<const ObservationScale> scale) {
  require_numbers(env->spec());
  const auto numbers = static_cast<std::size_t>(env->spec().frame_shape.front());
  if (scale->mean.size() != numbers || scale->deviation.size() != numbers) {
    throw Error(fmt::format(
        "env.observation_mean has {} numbers and env.observation_deviation {}, but a frame of this "
        "environment has {}; leave both empty, and a new run measures them",
        scale->mean.size(), scale->deviation.size(), numbers));
  }
  return std::make_unique<NormalisedEnv>(std::move(env), std::move(scale));
}

}  // namespace tandem
