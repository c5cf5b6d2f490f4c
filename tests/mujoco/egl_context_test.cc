// Drawing in a thread that has a context of OpenGL of its own.
#ifdef TANDEM_TESTS_HAVE_EGL

#include "egl_context.h"

#include <EGL/egl.h>
#include <gtest/gtest.h>

namespace tandem::mujoco {
namespace {

/// The display and the context of an EglContext stand for those of the caller.
class CallersContext {
 public:
  CallersContext() {
    const Entered entered(made_);
    display_ = eglGetCurrentDisplay();
    context_ = eglGetCurrentContext();
  }

  [[nodiscard]] EGLContext context() const { return context_; }
  [[nodiscard]] bool enter() const { return make_current(context_); }
  [[nodiscard]] bool leave() const { return make_current(EGL_NO_CONTEXT); }

 private:
  [[nodiscard]] bool make_current(EGLContext context) const {
    return eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context) == EGL_TRUE;
  }

  EglContext made_;
  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
};

TEST(EglContextTest, GivesTheCallersOwnContextBack) {
  const CallersContext own;
  EglContext other;
  eglBindAPI(EGL_OPENGL_API);
  ASSERT_TRUE(own.enter());
  {
    const Entered entered(other);
    EXPECT_NE(eglGetCurrentContext(), own.context());
  }
  EXPECT_EQ(eglGetCurrentContext(), own.context());
  ASSERT_TRUE(own.leave());
  { const Entered entered(other); }
  EXPECT_EQ(eglGetCurrentContext(), EGL_NO_CONTEXT);
}

TEST(EglContextTest, KeepsTheInterfaceThatTheThreadChose) {
  for (const EGLenum chosen : {EGL_OPENGL_ES_API, EGL_OPENGL_API}) {
    ASSERT_EQ(eglBindAPI(chosen), EGL_TRUE);
    EglContext other;
    EXPECT_EQ(eglQueryAPI(), chosen);
    { const Entered entered(other); }
    EXPECT_EQ(eglQueryAPI(), chosen);
  }
}

}  // namespace
}  // namespace tandem::mujoco

#endif
