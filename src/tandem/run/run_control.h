// The means by which other threads look at a run, save it and end it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "tandem/sync/annotations.h"
#include "tandem/sync/mutex.h"

namespace tandem {

/// One run, as threads outside of it see it. It may outlive the run. Safe to use from many threads.
class RunControl {
 public:
  /// The number of a request for a checkpoint, counted from 1.
  using Request = std::int64_t;

  /// Asks the run to end soon, with a checkpoint. It cannot be taken back.
  void stop() { stop_ = true; }
  /// Whether stop() was called.
  [[nodiscard]] bool stop_requested() const { return stop_.load(std::memory_order_relaxed); }

  /// Steps of the run so far, including those before a resume.
  [[nodiscard]] std::int64_t steps() const { return steps_.load(std::memory_order_relaxed); }

  /// Asks for a checkpoint of a state that the run has from now on. Returns at once; the system
  /// saves as soon as it can, which is after the present update in most systems.
  Request ask();

  /// Waits for the checkpoint of a request, at most so many seconds. Returns its folder, or nothing
  /// if it has not been written yet. After the last step that is the last checkpoint. Throws Error
  /// when the run has ended by an error.
  std::optional<std::filesystem::path> wait_for(Request request, double seconds);

  /// Asks for a checkpoint, waits until it is written, and returns its folder. Throws Error when
  /// the run has ended by an error.
  std::filesystem::path save();

  /// The next functions are for the run itself.
  /// Publishes its steps.
  void count(std::int64_t steps) { steps_.store(steps, std::memory_order_relaxed); }
  /// Whether there is a request that no checkpoint has taken up.
  [[nodiscard]] bool asked() const {
    return newest_.load(std::memory_order_relaxed) > taken_.load(std::memory_order_relaxed);
  }
  /// Takes up all requests so far, for a checkpoint of the present state. Returns the newest.
  Request take();
  /// Says that the checkpoint for the requests up to this one is in `folder`.
  void answer(Request request, const std::filesystem::path& folder);
  /// Says that the run has ended. `why` becomes the error of all requests that remain, and of later
  /// ones. More calls do nothing.
  void end(const std::string& why);

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<std::int64_t> steps_ = 0;
  std::atomic<Request> newest_ = 0;
  std::atomic<Request> taken_ = 0;
  Mutex mutex_;
  std::condition_variable_any changed_;
  Request answered_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::filesystem::path folder_ TANDEM_GUARDED_BY(mutex_);  // of the last answer
  std::string ended_ TANDEM_GUARDED_BY(mutex_);             // why; empty while the run goes on
};

}  // namespace tandem
