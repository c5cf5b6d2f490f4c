#include "tandem/env/normalised_env.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tandem/base/error.h"

namespace tandem {

namespace {

/// Replaces each number of the frames by change(number, its index in a frame).
template <class Change>
void change_each(std::size_t frame_size, std::span<std::byte> frames, Change change) {
  for (std::size_t at = 0; at < frames.size() / sizeof(float); ++at) {
    auto* const place = &frames[at * sizeof(float)];
    float number = 0;
    std::memcpy(&number, place, sizeof(number));
    number = static_cast<float>(change(static_cast<double>(number), at % frame_size));
    std::memcpy(place, &number, sizeof(number));
  }
}

}  // namespace

void normalise(const ObservationScale& scale, std::span<std::byte> frames) {
  const auto& [mean, deviation] = scale;
  change_each(mean.size(), frames, [&](double number, std::size_t i) {
    const double scaled = (number - mean[i]) / deviation[i];
    return std::clamp(scaled, -kFarthestDeviation, kFarthestDeviation);
  });
}

void denormalise(const ObservationScale& scale, std::span<std::byte> frames) {
  const auto& [mean, deviation] = scale;
  change_each(mean.size(), frames,
              [&](double number, std::size_t i) { return number * deviation[i] + mean[i]; });
}

namespace {

class NormalisedEnv : public Env {
 public:
  NormalisedEnv(std::unique_ptr<Env> env, std::shared_ptr<const ObservationScale> scale)
      : env_(std::move(env)), scale_(std::move(scale)) {}

  [[nodiscard]] const EnvSpec& spec() const override { return env_->spec(); }

  void reset(Stream& stream, std::span<std::byte> frames) override {
    env_->reset(stream, frames);
    normalise(*scale_, frames);
  }

  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frames) override {
    const auto result = env_->step(actions, stream, frames);
    normalise(*scale_, frames);
    return result;
  }

  void save(StateWriter& writer) const override { env_->save(writer); }
  void load(StateReader& reader) override { env_->load(reader); }
  [[nodiscard]] Picture render() const override { return env_->render(); }

 private:
  std::unique_ptr<Env> env_;
  std::shared_ptr<const ObservationScale> scale_;
};

class NormalisedGroup : public EnvGroup {
 public:
  NormalisedGroup(std::unique_ptr<EnvGroup> group, std::shared_ptr<const ObservationScale> scale)
      : group_(std::move(group)),
        scale_(std::move(scale)),
        begun_(static_cast<std::size_t>(group_->size())) {}

  [[nodiscard]] int size() const override { return group_->size(); }
  [[nodiscard]] const EnvSpec& spec() const override { return group_->spec(); }

  void begin(std::span<const GroupRequest> requests) override {
    for (const auto& request : requests) begun_[static_cast<std::size_t>(request.env)] = request;
    group_->begin(requests);
  }

  std::span<const GroupAnswer> finish(int at_least) override {
    const auto answers = group_->finish(at_least);
    for (const auto& answer : answers) {
      if (answer.error) continue;
      const auto& request = begun_[static_cast<std::size_t>(answer.env)];
      normalise(*scale_, request.frames);
      if (answer.result.terminated || answer.result.truncated) {
        normalise(*scale_, request.first_frames);
      }
    }
    return answers;
  }

  [[nodiscard]] Picture render(int env) override { return group_->render(env); }

 private:
  std::unique_ptr<EnvGroup> group_;
  std::shared_ptr<const ObservationScale> scale_;
  std::vector<GroupRequest> begun_;  // by environment: its last request
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

namespace {

void require_scale_of(const EnvSpec& spec, const ObservationScale& scale) {
  require_numbers(spec);
  const auto numbers = static_cast<std::size_t>(spec.frame_shape.front());
  if (scale.mean.size() == numbers && scale.deviation.size() == numbers) return;
  throw Error(fmt::format(
      "env.observation_mean has {} numbers and env.observation_deviation {}, but a frame of this "
      "environment has {}; leave both empty, and a new run measures them",
      scale.mean.size(), scale.deviation.size(), numbers));
}

}  // namespace

std::unique_ptr<Env> make_normalised(std::unique_ptr<Env> env,
                                     std::shared_ptr<const ObservationScale> scale) {
  require_scale_of(env->spec(), *scale);
  return std::make_unique<NormalisedEnv>(std::move(env), std::move(scale));
}

std::unique_ptr<EnvGroup> make_normalised(std::unique_ptr<EnvGroup> group,
                                          std::shared_ptr<const ObservationScale> scale) {
  require_scale_of(group->spec(), *scale);
  return std::make_unique<NormalisedGroup>(std::move(group), std::move(scale));
}

}  // namespace tandem
