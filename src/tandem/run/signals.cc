#include "tandem/run/signals.h"

#include <atomic>
#include <stdexcept>

namespace tandem {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM};

// The only mutable globals of the program: a signal handler is given nothing but the number of the
// signal. Lock-free atomics are what C++ lets a handler and other threads share (a plain
// sig_atomic_t would be a data race between threads).
std::atomic<bool> stop_requested = false;
std::atomic<bool> in_use = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void set_handler(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;  // writing a checkpoint goes on undisturbed
  sigaction(signal, &action, nullptr);
}

void on_first_signal(int) {
  stop_requested.store(true, std::memory_order_relaxed);
  // The second one, of either kind, does what it does by default: it ends the process.
  for (const int signal : kSignals) set_handler(signal, SIG_DFL);
}

}  // namespace

StopSignals::StopSignals() {
  if (in_use.exchange(true)) throw std::logic_error("two StopSignals at the same time");
  stop_requested = false;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    set_handler(kSignals[i], on_first_signal);
  }
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &before_[i], nullptr);
  }
  in_use = false;
}

bool StopSignals::requested() const { return stop_requested.load(std::memory_order_relaxed); }

}  // namespace tandem
