// Barto, Sutton and Anderson, "Neuronlike adaptive elements that can solve difficult learning
// control problems" (1983), with the constants of Gymnasium's CartPole-v1. Sums and products have
// Gymnasium's order, so both give the same bits if their sines and cosines agree.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>

#include "tandem/env/builtin.h"
#include "tandem/env/canvas.h"

namespace tandem {
namespace {

constexpr double kGravity = 9.8;
constexpr double kPoleMass = 0.1;
constexpr double kTotalMass = kPoleMass + 1.0;
constexpr double kLength = 0.5;  // half of the pole's length
constexpr double kPoleMassLength = kPoleMass * kLength;
constexpr double kForce = 10.0;
constexpr double kSeconds = 0.02;  // per step
constexpr double kAngleLimit = 12 * 2 * std::numbers::pi / 360;
constexpr double kPositionLimit = 2.4;

class CartPole : public Env {
 public:
  explicit CartPole(const BuiltinOptions& options) {
    spec_ = {.dtype = DType::f32,
             .frame_shape = {4},
             .stack = options.stack,
             .num_actions = 2,
             .action_names = {"left", "right"},
             .render_fps = 1 / kSeconds};
  }

  [[nodiscard]] const EnvSpec& spec() const override { return spec_; }

  void reset(Stream& stream, std::span<std::byte> frame) override {
    for (auto& value : state_) value = -0.05 + 0.1 * stream.uniform();
    show(frame);
  }

  StepResult step(std::span<const Action> actions, Stream&, std::span<std::byte> frame) override {
    advance(actions.front().discrete == 1 ? kForce : -kForce);
    show(frame);
    const bool fallen = std::abs(state_[0]) > kPositionLimit || std::abs(state_[2]) > kAngleLimit;
    return {.reward = 1, .terminated = fallen, .game_over = fallen};
  }

  void save(StateWriter& writer) const override { writer.put(state_); }
  void load(StateReader& reader) override { state_ = reader.get<std::array<double, 4>>(); }
  [[nodiscard]] Picture render() const override;

 private:
  void advance(double force) {
    auto& [x, x_dot, theta, theta_dot] = state_;
    const double cosine = std::cos(theta);
    const double sine = std::sin(theta);
    const double push = (force + kPoleMassLength * (theta_dot * theta_dot) * sine) / kTotalMass;
    const double theta_acc = (kGravity * sine - cosine * push) /
                             (kLength * (4.0 / 3.0 - kPoleMass * (cosine * cosine) / kTotalMass));
    const double x_acc = push - kPoleMassLength * theta_acc * cosine / kTotalMass;
    x += kSeconds * x_dot;
    x_dot += kSeconds * x_acc;
    theta += kSeconds * theta_dot;
    theta_dot += kSeconds * theta_acc;
  }

  void show(std::span<std::byte> frame) const {
    std::array<float, 4> values;
    std::copy(state_.begin(), state_.end(), values.begin());
    std::memcpy(frame.data(), values.data(), sizeof(values));
  }

  EnvSpec spec_;
  std::array<double, 4> state_{};  // position, velocity, angle, angular velocity
};

Picture CartPole::render() const {
  constexpr int kWidth = 600;
  constexpr int kHeight = 400;
  constexpr double kScale = kWidth / (2 * kPositionLimit);
  constexpr double kGround = 300;
  Canvas canvas(kWidth, kHeight, {255, 255, 255});
  canvas.rectangle(0, kGround, kWidth, kGround + 2, {0, 0, 0});
  const double x = kWidth / 2.0 + kScale * state_[0];
  canvas.rectangle(x - 25, kGround - 15, x + 25, kGround + 15, {0, 0, 0});
  const double length = kScale * 2 * kLength;
  canvas.line(x, kGround - 8, x + length * std::sin(state_[2]),
              kGround - 8 - length * std::cos(state_[2]), 10, {202, 152, 101});
  return canvas.picture();
}

}  // namespace

std::unique_ptr<Env> make_cartpole(const BuiltinOptions& options) {
  return std::make_unique<CartPole>(options);
}

}  // namespace tandem
