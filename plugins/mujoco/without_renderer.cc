// Replaces renderer.cc if EGL is not installed.
#include "renderer.h"
#include "tandem/base/error.h"

namespace tandem::mujoco {

std::unique_ptr<Renderer> make_renderer(const mjModel&, int, int, bool) {
  throw Error(
      "MuJoCo's worlds cannot be drawn: the plug-in was built without EGL. Install "
      "libegl-dev, libopengl-dev, libegl-mesa0 and libgl1-mesa-dri, configure and build again");
}

}  // namespace tandem::mujoco
