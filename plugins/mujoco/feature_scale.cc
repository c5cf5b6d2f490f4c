#include "feature_scale.h"

#include <algorithm>
#include <cmath>

#include "lookup.h"

namespace tandem::mujoco {
namespace {

constexpr int kHeld = 5;  // steps of one control
constexpr double kLeastDeviation = 1e-6;
constexpr double kFarthest = 10;  // deviations

void draw_control(const mjModel& model, Stream& stream, std::vector<float>& control) {
  for (int i = 0; i < model.nu; ++i) {
    const bool limited = model.actuator_ctrllimited[i] != 0;
    const auto range = entries<2>(model.actuator_ctrlrange, i);
    const double low = limited ? range[0] : -1;
    const double high = limited ? range[1] : 1;
    control[static_cast<std::size_t>(i)] =
        static_cast<float>(low + (high - low) * static_cast<double>(stream.uniform()));
  }
}

}  // namespace

FeatureScale::FeatureScale(Simulation simulation, int frames) {
  const mjModel& model = simulation.physics().model();
  Stream stream(1, 0);
  simulation.reset(stream);
  const auto size = simulation.observation().size();
  std::vector<float> control(static_cast<std::size_t>(model.nu));
  std::vector<double> squares(size, 0);  // of the distances from the mean, by Welford's method
  mean_.assign(size, 0);
  for (int frame = 0; frame < frames; ++frame) {
    if (frame % kHeld == 0) draw_control(model, stream, control);
    const auto outcome = simulation.step(control);
    const auto features = simulation.observation();
    for (std::size_t i = 0; i < size; ++i) {
      const double off = features[i] - mean_[i];
      mean_[i] += off / (frame + 1);
      squares[i] += off * (features[i] - mean_[i]);
    }
    if (outcome.out_of_time || outcome.diverged) simulation.reset(stream);
  }
  for (const double square : squares) {
    const double deviation = std::sqrt(square / frames);
    factor_.push_back(deviation > kLeastDeviation ? 1 / deviation : 1);
  }
}

double FeatureScale::operator()(std::size_t i, double value) const {
  return std::clamp((value - mean_[i]) * factor_[i], -kFarthest, kFarthest);
}

}  // namespace tandem::mujoco
