#include "interruptible.h"

#include <nanobind/nanobind.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <utility>

namespace tandem::python {

Interruptible::Interruptible() : thread_([this] { serve(); }) {}

Interruptible::~Interruptible() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Interruptible::run(std::function<void()> function) {
  if (refused()) {
    PyErr_SetString(PyExc_RuntimeError, "the interpreter ends");
    throw nanobind::python_error();
  }
  {
    const std::lock_guard lock(mutex_);
    function_ = std::move(function);
  }
  changed_.notify_all();
  while (!waited()) {
    const bool over = refused();
    if (over) PyErr_SetString(PyExc_RuntimeError, "the interpreter ends");
    if (over || PyErr_CheckSignals() != 0) throw nanobind::python_error();
  }
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

std::exception_ptr Interruptible::settle() {
  while (!waited()) {
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  }
  return std::exchange(error_, nullptr);
}

// Python handles signals in its main thread alone; another one waits without coming back.
bool Interruptible::waited() {
  constexpr std::chrono::milliseconds kSlice{50};
  const nanobind::gil_scoped_release without_gil;
  std::unique_lock lock(mutex_);
  if (syscall(SYS_gettid) == getpid()) {
    return changed_.wait_for(lock, kSlice, [this] { return function_ == nullptr; });
  }
  const bool refused = refused_;
  changed_.wait(lock, [&] { return function_ == nullptr || refused_ != refused; });
  return function_ == nullptr;
}

void Interruptible::refuse() {
  {
    const std::lock_guard lock(mutex_);
    refused_ = true;
  }
  changed_.notify_all();
}

bool Interruptible::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

bool Interruptible::busy() const {
  const std::lock_guard lock(mutex_);
  return function_ != nullptr;
}

void run_or_leave(std::function<void()> function) {
  auto waiting = std::make_unique<Interruptible>();
  try {
    waiting->run(std::move(function));
  } catch (const nanobind::python_error&) {
    // Its destructor waits for the function.
    std::thread([left = std::move(waiting)] {}).detach();
    throw;
  }
}

void Interruptible::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return function_ != nullptr || ended_; });
    if (function_ == nullptr) return;
    lock.unlock();
    std::exception_ptr error;
    try {
      function_();
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    error_ = error;
    function_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace tandem::python
