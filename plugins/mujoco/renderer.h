// Pictures of a world.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "physics.h"

namespace tandem::mujoco {

/// Draws the view of a model's first camera with MuJoCo's own renderer, off screen. The result
/// equals dm_control's physics.render(height, width, camera_id=0) with MUJOCO_GL=egl, on the same
/// device. `plain` pictures have no shadows, reflections or sky, and their edges are not smoothed;
/// a renderer in software needs a tenth of the time for them, or less. One thread at a time uses an
/// instance.
class Renderer {
 public:
  virtual ~Renderer() = default;

  /// Writes height x width x 3 bytes, the uppermost row first. The physics' model must be the
  /// renderer's.
  virtual void draw(const Physics& physics, std::span<std::uint8_t> rgb) = 0;
};

/// Throws Error, which says what to do, when EGL is missing or cannot draw. The model must outlive
/// the renderer.
std::unique_ptr<Renderer> make_renderer(const mjModel& model, int height, int width, bool plain);

}  // namespace tandem::mujoco
