// Pictures of a world.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "physics.h"

namespace tandem::mujoco {

/// Draws what a model's first camera sees by MuJoCo's own renderer, off screen. The same as
/// dm_control's physics.render(height, width, camera_id=0) with MUJOCO_GL=egl, on the same device.
/// `plain` pictures, for which a renderer in software takes a tenth of the time and less, have no
/// shadows, reflections or sky, and edges that are not smoothed. One thread at a time uses an
/// instance.
class Renderer {
 public:
  virtual ~Renderer() = default;

  /// Writes height x width x 3 bytes, the uppermost row first. The physics' model must be that of
  /// the renderer.
  virtual void draw(const Physics& physics, std::span<std::uint8_t> rgb) = 0;
};

/// Throws Error, with what to do, when nothing can be drawn here. The model must outlive it.
std::unique_ptr<Renderer> make_renderer(const mjModel& model, int height, int width, bool plain);

}  // namespace tandem::mujoco
