// OpenGL without a screen.
#pragma once

namespace tandem::mujoco {

/// A context of OpenGL through EGL, on the first device that has one: a GPU, or Mesa's software
/// renderer. A thread enters it to draw and leaves it afterwards. Only one thread of the process
/// can be in a context at a time; others wait.
class EglContext {
 public:
  /// Throws Error when there is no such device, and says what to install.
  EglContext();
  ~EglContext();
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;

  void enter();
  void leave();

 private:
  void* display_;
  void* context_;
};

/// Enters a context for as long as it lives.
class Entered {
 public:
  explicit Entered(EglContext& context) : context_(context) { context_.enter(); }
  ~Entered() { context_.leave(); }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

 private:
  EglContext& context_;
};

}  // namespace tandem::mujoco
