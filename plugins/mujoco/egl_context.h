// OpenGL without a screen.
#pragma once

namespace tandem::mujoco {

/// A context of OpenGL through EGL, on the first device that has one: a GPU, or Mesa's software
/// renderer. A thread enters it to draw and leaves it afterwards, which gives back the context of
/// its own that the thread may have had. Only one thread of the process can be in a context at a
/// time; others wait.
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
  /// The state of EGL in a thread, in the types of EGL.
  struct Current {
    unsigned int interface = 0;  // OpenGL or OpenGL ES
    void* display = nullptr;
    void* context = nullptr;  // null: none
    void* drawn = nullptr;    // surfaces
    void* read = nullptr;
  };

  static Current current();

  void* display_;
  void* context_;
  Current before_;  // of the thread that is in the context, before it entered
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
