#include "egl_context.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <array>
#include <mutex>
#include <string>
#include <type_traits>

#include "tandem/base/error.h"

namespace tandem::mujoco {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw Error("MuJoCo's worlds cannot be drawn: " + what +
              ". OpenGL through EGL is needed: apt-get install libegl-mesa0 libgl1-mesa-dri, or a "
              "GPU's driver");
}

template <class Function>
Function* extension(const char* name) {
  auto* function = reinterpret_cast<Function*>(eglGetProcAddress(name));
  if (function == nullptr) fail(std::string("EGL has no ") + name);
  return function;
}

/// MuJoCo keeps OpenGL's functions in variables of the process and loads them again for each
/// context. Mesa's software renderer has crashed when several threads drew. So only one thread
/// draws at a time.
std::mutex& drawing() {
  static std::mutex mutex;
  return mutex;
}

/// A display that needs no window system. Opening it again gives the same one.
EGLDisplay open_display() {
  auto* query_devices =
      extension<std::remove_pointer_t<PFNEGLQUERYDEVICESEXTPROC>>("eglQueryDevicesEXT");
  auto* platform_display =
      extension<std::remove_pointer_t<PFNEGLGETPLATFORMDISPLAYEXTPROC>>("eglGetPlatformDisplayEXT");
  std::array<EGLDeviceEXT, 32> devices{};
  EGLint count = 0;
  query_devices(devices.size(), devices.data(), &count);
  for (EGLint i = 0; i < count; ++i) {
    const EGLDisplay display = platform_display(EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr);
    if (display != EGL_NO_DISPLAY && eglInitialize(display, nullptr, nullptr) == EGL_TRUE) {
      return display;
    }
  }
  fail("EGL finds no device");
}

EGLConfig choose_config(EGLDisplay display) {
  constexpr std::array<EGLint, 19> kWanted = {EGL_RED_SIZE,
                                              8,
                                              EGL_GREEN_SIZE,
                                              8,
                                              EGL_BLUE_SIZE,
                                              8,
                                              EGL_ALPHA_SIZE,
                                              8,
                                              EGL_DEPTH_SIZE,
                                              24,
                                              EGL_STENCIL_SIZE,
                                              8,
                                              EGL_COLOR_BUFFER_TYPE,
                                              EGL_RGB_BUFFER,
                                              EGL_SURFACE_TYPE,
                                              EGL_PBUFFER_BIT,
                                              EGL_RENDERABLE_TYPE,
                                              EGL_OPENGL_BIT,
                                              EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (eglChooseConfig(display, kWanted.data(), &config, 1, &count) != EGL_TRUE || count < 1) {
    fail("the device has no 24-bit colours with 24-bit depth");
  }
  return config;
}

}  // namespace

EglContext::EglContext() {
  const std::scoped_lock lock(drawing());
  display_ = open_display();
  const EGLConfig config = choose_config(display_);
  const EGLenum interface = eglQueryAPI();
  eglBindAPI(EGL_OPENGL_API);
  context_ = eglCreateContext(display_, config, EGL_NO_CONTEXT, nullptr);
  eglBindAPI(interface);
  if (context_ == EGL_NO_CONTEXT) fail("the device gives no context");
}

EglContext::~EglContext() {
  const std::scoped_lock lock(drawing());
  eglDestroyContext(display_, context_);
}

EglContext::Current EglContext::current() {
  return {.interface = eglQueryAPI(),
          .display = eglGetCurrentDisplay(),
          .context = eglGetCurrentContext(),
          .drawn = eglGetCurrentSurface(EGL_DRAW),
          .read = eglGetCurrentSurface(EGL_READ)};
}

void EglContext::enter() {
  std::unique_lock lock(drawing());
  before_ = current();
  // Each thread chooses its own interface; OpenGL ES is the default.
  eglBindAPI(EGL_OPENGL_API);
  if (eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) != EGL_TRUE) {
    eglBindAPI(before_.interface);
    fail("the context cannot be entered");
  }
  lock.release();  // leave() unlocks it
}

void EglContext::leave() {
  // In any case this context must not stay current, or no other thread could enter it.
  const bool given_back =
      before_.context != EGL_NO_CONTEXT &&
      eglMakeCurrent(before_.display, before_.drawn, before_.read, before_.context) == EGL_TRUE;
  if (!given_back) eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglBindAPI(before_.interface);
  drawing().unlock();
}

}  // namespace tandem::mujoco
