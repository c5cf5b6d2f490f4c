// The swing-up of Gymnasium's Pendulum-v1, with the torque and its cost in single precision, as
// there.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>

#include "tandem/env/builtin.h"
#include "tandem/env/canvas.h"

namespace tandem {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kMostSpeed = 8.0;
constexpr float kMostTorque = 2.0f;
// The pendulum's mass and length are 1.

// The same direction as an angle in [-pi, pi).
double normalised(double angle) {
  const double shifted = std::fmod(angle + kPi, 2 * kPi);
  return (shifted < 0 ? shifted + 2 * kPi : shifted) - kPi;
}

class Pendulum : public Env {
 public:
  explicit Pendulum(const BuiltinOptions& options) {
    spec_ = {.dtype = DType::f32,
             .frame_shape = {3},
             .stack = options.stack,
             .action_low = {-kMostTorque},
             .action_high = {kMostTorque},
             .render_fps = 30};
  }

  [[nodiscard]] const EnvSpec& spec() const override { return spec_; }

  void reset(Stream& stream, std::span<std::byte> frame) override {
    angle_ = kPi * (2.0 * stream.uniform() - 1.0);
    speed_ = 2.0 * stream.uniform() - 1.0;
    show(frame);
  }

  StepResult step(std::span<const Action> actions, Stream&, std::span<std::byte> frame) override {
    const float torque = std::clamp(actions.front().continuous[0], -kMostTorque, kMostTorque);
    const double error = normalised(angle_);
    const double cost = error * error + 0.1 * (speed_ * speed_) + 0.001f * (torque * torque);
    const double speed = speed_ + (1.5 * kGravity * std::sin(angle_) + 3.0f * torque) * kSeconds;
    speed_ = std::clamp(speed, -kMostSpeed, kMostSpeed);
    angle_ += speed_ * kSeconds;
    show(frame);
    return {.reward = static_cast<float>(-cost)};
  }

  void save(StateWriter& writer) const override {
    writer.put(angle_);
    writer.put(speed_);
  }
  void load(StateReader& reader) override {
    angle_ = reader.get<double>();
    speed_ = reader.get<double>();
  }
  [[nodiscard]] Picture render() const override;

 private:
  static constexpr double kGravity = 10.0;
  static constexpr double kSeconds = 0.05;  // per step

  void show(std::span<std::byte> frame) const {
    const std::array values{static_cast<float>(std::cos(angle_)),
                            static_cast<float>(std::sin(angle_)), static_cast<float>(speed_)};
    std::memcpy(frame.data(), values.data(), sizeof(values));
  }

  EnvSpec spec_;
  double angle_ = 0;  // from upright, in radians
  double speed_ = 0;
};

Picture Pendulum::render() const {
  constexpr int kSide = 500;
  constexpr double kMiddle = kSide / 2.0;
  constexpr double kScale = kSide / 4.4;
  Canvas canvas(kSide, kSide, {255, 255, 255});
  canvas.line(kMiddle, kMiddle, kMiddle - kScale * std::sin(angle_),
              kMiddle - kScale * std::cos(angle_), 0.2 * kScale, {204, 77, 77});
  canvas.line(kMiddle, kMiddle, kMiddle, kMiddle, 0.1 * kScale, {0, 0, 0});
  return canvas.picture();
}

}  // namespace

std::unique_ptr<Env> make_pendulum(const BuiltinOptions& options) {
  return std::make_unique<Pendulum>(options);
}

}  // namespace tandem
