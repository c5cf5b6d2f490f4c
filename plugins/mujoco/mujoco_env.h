// A task of the suite as an environment.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "renderer.h"
#include "simulation.h"
#include "tandem/env/env.h"

namespace tandem::mujoco {

/// How a task is shown.
struct MujocoOptions {
  bool pixels = false;
  bool plain_pixels = false;
  std::int64_t stack = 1;
  std::int64_t frame_skip = 1;  // steps of the suite that one action is held
};

/// Frames are the task's observation in single precision, one array after the other in the order of
/// dm_control, or with `pixels` what the first camera sees, {3,
/// 84, 84} in u8. Actions are the controls of the model's actuators, within their ranges; with
/// `frame_skip` one is held for that many steps of the suite, which are its frames, and rewards add
/// up. An episode is truncated at the task's time limit, and when the simulation breaks down,
/// without a reward for the step that did it.
class MujocoEnv : public Env {
 public:
  /// Throws Error when `pixels` are wanted and nothing can be drawn here.
  MujocoEnv(Simulation simulation, const MujocoOptions& options);

  [[nodiscard]] const EnvSpec& spec() const override { return spec_; }
  void reset(Stream& stream, std::span<std::byte> frame) override;
  StepResult step(const Action& action, Stream& stream, std::span<std::byte> frame) override;
  void save(StateWriter& writer) const override { simulation_.save(writer); }
  void load(StateReader& reader) override { simulation_.load(reader); }
  [[nodiscard]] Picture render() const override;

 private:
  void show(std::span<std::byte> frame);
  void show_features(std::span<std::byte> frame) const;

  Simulation simulation_;
  EnvSpec spec_;
  std::unique_ptr<Renderer> observer_;         // of pixels; else null
  std::vector<std::uint8_t> seen_;             // by it
  mutable std::unique_ptr<Renderer> painter_;  // of pictures; made for the first one
};

}  // namespace tandem::mujoco
