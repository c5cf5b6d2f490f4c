#include "renderer.h"

#include <algorithm>
#include <vector>

#include "egl_context.h"

namespace tandem::mujoco {
namespace {

constexpr int kMostGeoms = 1000;  // the suite's worlds have fewer than 100

class EglRenderer : public Renderer {
 public:
  EglRenderer(const mjModel& model, int height, int width, bool plain)
      : view_{.left = 0, .bottom = 0, .width = width, .height = height},
        upside_down_(static_cast<std::size_t>(height) * static_cast<std::size_t>(width) * 3) {
    mjv_defaultOption(&options_);
    mjv_defaultPerturb(&nothing_pulled_);
    mjv_defaultCamera(&camera_);
    camera_.type = mjCAMERA_FIXED;
    camera_.fixedcamid = 0;
    mjv_defaultScene(&scene_);
    mjv_makeScene(&model, &scene_, kMostGeoms);
    if (plain) {
      for (const int effect : {mjRND_SHADOW, mjRND_REFLECTION, mjRND_SKYBOX}) {
        scene_.flags[effect] = 0;
      }
    }
    const Entered entered(context_);
    mjr_defaultContext(&buffers_);
    // Buffers of the picture's size are cleared and copied faster than the model's own, and give
    // the same bytes. The copy shares the model's arrays.
    mjModel as_small = model;
    as_small.vis.global.offwidth = width;
    as_small.vis.global.offheight = height;
    if (plain) as_small.vis.quality.offsamples = 0;
    mjr_makeContext(&as_small, &buffers_, mjFONTSCALE_150);
    mjr_setBuffer(mjFB_OFFSCREEN, &buffers_);
  }

  ~EglRenderer() override {
    const Entered entered(context_);
    mjr_freeContext(&buffers_);
    mjv_freeScene(&scene_);
  }

  EglRenderer(const EglRenderer&) = delete;
  EglRenderer& operator=(const EglRenderer&) = delete;

  void draw(const Physics& physics, std::span<std::uint8_t> rgb) override {
    // MuJoCo changes only the scratch memory of the data.
    auto& data = const_cast<mjData&>(physics.data());
    mjv_updateScene(&physics.model(), &data, &options_, &nothing_pulled_, &camera_, mjCAT_ALL,
                    &scene_);
    {
      const Entered entered(context_);
      mjr_render(view_, &scene_, &buffers_);
      mjr_readPixels(upside_down_.data(), nullptr, view_, &buffers_);
    }
    const auto row = static_cast<std::size_t>(view_.width) * 3;
    const auto rows = static_cast<std::size_t>(view_.height);
    for (std::size_t y = 0; y < rows; ++y) {
      const auto from = std::span(upside_down_).subspan((rows - 1 - y) * row, row);
      std::ranges::copy(from, rgb.subspan(y * row, row).begin());
    }
  }

 private:
  EglContext context_;
  mjvOption options_;
  mjvPerturb nothing_pulled_;
  mjvCamera camera_;
  mjvScene scene_;
  mjrContext buffers_;
  mjrRect view_;
  std::vector<std::uint8_t> upside_down_;
};

}  // namespace

std::unique_ptr<Renderer> make_renderer(const mjModel& model, int height, int width, bool plain) {
  return std::make_unique<EglRenderer>(model, height, width, plain);
}

}  // namespace tandem::mujoco
