#include "interruptible.h"

#include <nanobind/nanobind.h>

#include <chrono>
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
  {
    const std::lock_guard lock(mutex_);
    function_ = std::move(function);
  }
  changed_.notify_all();
  wait();
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void Interruptible::settle() {
  wait();
  error_ = nullptr;  // of a call whose caller has been interrupted
}

void Interruptible::wait() {
  constexpr std::chrono::milliseconds kSlice{50};
  for (;;) {
    {
      const nanobind::gil_scoped_release without_gil;
      std::unique_lock lock(mutex_);
      if (changed_.wait_for(lock, kSlice, [this] { return function_ == nullptr; })) return;
    }
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
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
