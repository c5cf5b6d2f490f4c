// A task of the suite as an environment.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "renderer.h"
#include "simulation.h"
#include "tandem/env/env.h"

namespace tandem::mujoco {

/// The form of a task's observations and actions.
struct MujocoOptions {
  bool pixels = false;
  bool plain_pixels = false;
  std::int64_t stack = 1;
  std::int64_t frame_skip = 1;  // steps of the suite for which an action is held
};

/// Frames are the task's observation in single precision, one array after the other in the order of
/// dm_control. With `pixels` they are the view of the first camera, {3, 84, 84} in u8. Actions are
/// the controls of the model's actuators, within their ranges. With `frame_skip` an action is held
/// for that many steps of the suite, which count as frames, and their rewards add up. An episode is
/// truncated at the task's time limit. It is also truncated when the simulation diverges; that step
/// of the suite has no reward.
class MujocoEnv : public Env {
 public:
  /// Throws Error when `pixels` is set but EGL is missing or cannot draw.
  MujocoEnv(Simulation simulation, const MujocoOptions& options);

  [[nodiscard]] const EnvSpec& spec() const override { return spec_; }
  void reset(Stream& stream, std::span<std::byte> frame) override;
  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frame) override;
  void save(StateWriter& writer) const override { simulation_.save(writer); }
  void load(StateReader& reader) override;
  [[nodiscard]] Picture render() const override;

 private:
  void look();
  void show(std::span<std::byte> frame) const;
  void show_features(std::span<std::byte> frame) const;

  Simulation simulation_;
  EnvSpec spec_;
  std::unique_ptr<Renderer> observer_;         // draws observations; null: no pixels
  std::vector<std::uint8_t> seen_;             // the newest picture that it drew
  mutable std::unique_ptr<Renderer> painter_;  // for render(), whose first call makes it
};

}  // namespace tandem::mujoco
